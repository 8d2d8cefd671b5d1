import { useId } from 'react'
import { useSession } from '../../session'
import { Button, Checkbox, Field, IconButton, Select, TextArea, useTyped } from '../../ui'
import { clock, instantOf, isDate, minutesOf, placeOf, wallAt } from '../../zone'
import { AssetField } from './AssetField'
import { type SettingField, settingLabel, valueLabel } from './networks'
import styles from './settings.module.css'

type Values = Record<string, unknown>
type Change = (key: string, value: unknown) => void

/** A form made from a network's settings. What is not set is left to the network's default. */
export function SettingsForm({
  network,
  fields,
  values,
  onChange,
  problems,
}: {
  network: string
  fields: SettingField[]
  values: Values
  onChange: Change
  problems?: Record<string, string>
}) {
  return (
    <div className={styles.form}>
      {fields.map(({ key = '', ...field }) => (
        <Setting
          key={key}
          field={field}
          label={settingLabel(key, network)}
          value={values[key]}
          problem={problems?.[key]}
          onChange={v => onChange(key, v)}
        />
      ))}
    </div>
  )
}

type SettingProps = {
  field: Omit<SettingField, 'key'>
  label: string
  value: unknown
  problem?: string
  onChange: (value: unknown) => void
}

function Setting(props: SettingProps) {
  const { field } = props
  if (field.type === 'boolean') return <BooleanSetting {...props} />
  if (field.type === 'integer' || field.type === 'number') return <NumberSetting {...props} />
  if (field.type === 'object') return <ObjectSetting {...props} />
  if (field.type === 'array')
    return field.items?.type === 'object' ? <ListSetting {...props} /> : <LinesSetting {...props} />
  if (field.enum) return <ChoiceSetting {...props} />
  if (field.format === 'date-time') return <InstantSetting {...props} />
  if (field.format === 'asset') return <AssetField {...props} hint={field.description} />
  return <TextSetting {...props} />
}

function BooleanSetting({ field, label, value, onChange }: SettingProps) {
  const checked = typeof value === 'boolean' ? value : field.default === true
  return (
    <Checkbox label={label} hint={field.description} checked={checked} onChange={e => onChange(e.target.checked)} />
  )
}

function ChoiceSetting({ field, label, value, onChange, problem }: SettingProps) {
  const unset = field.default === undefined ? 'Not chosen' : `${valueLabel(String(field.default))} (default)`
  return (
    <Select
      label={label}
      hint={field.description}
      problem={problem}
      value={typeof value === 'string' ? value : ''}
      onChange={e => onChange(e.target.value || undefined)}
    >
      <option value="">{unset}</option>
      {field.enum
        ?.filter(v => v !== field.default)
        .map(v => (
          <option key={v} value={v}>
            {valueLabel(v)}
          </option>
        ))}
    </Select>
  )
}

function NumberSetting({ field, label, value, onChange, problem }: SettingProps) {
  return (
    <Field
      label={label}
      hint={field.description}
      problem={problem}
      type="number"
      inputMode="decimal"
      step={field.type === 'integer' ? 1 : 'any'}
      value={typeof value === 'number' ? value : ''}
      placeholder={field.default === undefined ? undefined : String(field.default)}
      onChange={e => onChange(e.target.value === '' ? undefined : e.target.valueAsNumber)}
    />
  )
}

const inputTypes: Record<string, string> = { uri: 'url' }

function TextSetting({ field, label, value, onChange, problem }: SettingProps) {
  const text = typeof value === 'string' ? value : ''
  const shared = { label, hint: field.description, problem, value: text }
  if ((field.maximum ?? 0) > 400) {
    return <TextArea {...shared} rows={3} onChange={e => onChange(e.target.value || undefined)} />
  }
  return (
    <Field
      {...shared}
      type={inputTypes[field.format ?? ''] ?? 'text'}
      inputMode={field.format === 'digits' ? 'numeric' : undefined}
      onChange={e => onChange(e.target.value || undefined)}
    />
  )
}

/** An instant, on the clocks of the team. */
function InstantSetting({ field, label, value, onChange, problem }: SettingProps) {
  const { zone } = useSession()
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  const wall = Number.isNaN(at) ? null : wallAt(at, zone)
  const typed = useTyped(wall ? `${wall.date}T${clock(wall.minutes)}` : '', text => {
    const [date, time = ''] = text.split('T')
    onChange(isDate(date) ? new Date(instantOf({ date, minutes: minutesOf(time) }, zone)).toISOString() : undefined)
  })
  return (
    <Field
      label={label}
      hint={`${field.description ?? ''} In ${placeOf(zone)}.`}
      problem={problem}
      type="datetime-local"
      {...typed}
    />
  )
}

/** A list of plain values: one a line. */
function LinesSetting({ field, label, value, onChange, problem }: SettingProps) {
  const options = field.items?.enum
  const list = Array.isArray(value) ? (value as string[]) : []
  if (options) {
    return (
      <fieldset className={styles.group}>
        <legend>{label}</legend>
        {options.map(o => (
          <Checkbox
            key={o}
            label={valueLabel(o)}
            checked={list.includes(o)}
            onChange={e => onChange(clean(e.target.checked ? [...list, o] : list.filter(x => x !== o)))}
          />
        ))}
      </fieldset>
    )
  }
  return (
    <TextArea
      label={label}
      hint={`${field.description ?? ''} One a line.`}
      problem={problem}
      rows={2}
      defaultValue={list.join('\n')}
      onChange={e =>
        onChange(
          clean(
            e.target.value
              .split('\n')
              .map(l => l.trim())
              .filter(Boolean),
          ),
        )
      }
    />
  )
}

const clean = (list: unknown[]) => (list.length > 0 ? list : undefined)

/** Several fields that belong together; absent until it is added. */
function ObjectSetting({ field, label, value, onChange }: SettingProps) {
  const hintId = useId()
  const given = value !== undefined && value !== null
  return (
    <fieldset className={styles.group} aria-describedby={hintId}>
      <legend>{label}</legend>
      <p id={hintId} className={styles.hint}>
        {field.description}
      </p>
      {given ? (
        <>
          <ObjectFields fields={field.fields ?? []} value={value as Values} onChange={onChange} />
          <Button size="small" kind="quiet" icon="cross" onClick={() => onChange(undefined)}>
            Remove
          </Button>
        </>
      ) : (
        <Button size="small" icon="plus" onClick={() => onChange({})}>
          Add
        </Button>
      )}
    </fieldset>
  )
}

function ObjectFields({
  fields,
  value,
  onChange,
}: {
  fields: SettingField[]
  value: Values
  onChange: (v: Values) => void
}) {
  return (
    <SettingsForm
      network=""
      fields={fields}
      values={value}
      onChange={(k, v) => {
        const { [k]: _, ...rest } = value
        onChange(v === undefined ? rest : { ...rest, [k]: v })
      }}
    />
  )
}

function ListSetting({ field, label, value, onChange }: SettingProps) {
  const list = Array.isArray(value) ? (value as Values[]) : []
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      <p className={styles.hint}>{field.description}</p>
      {list.map((item, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name of their own
        <div key={n} className={styles.entry}>
          <ObjectFields
            fields={field.items?.fields ?? []}
            value={item}
            onChange={v => onChange(list.map((x, i) => (i === n ? v : x)))}
          />
          <IconButton
            size="small"
            icon="trash"
            label={`Remove entry ${n + 1}`}
            onClick={() => onChange(clean(list.filter((_, i) => i !== n)))}
          />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...list, {}])}>
        Add
      </Button>
    </fieldset>
  )
}
