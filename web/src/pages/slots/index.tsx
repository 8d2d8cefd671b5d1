import { type FormEvent, type MouseEvent, useState } from 'react'
import { ApiError, explain } from '../../api/error'
import { useAccounts } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import {
  Button,
  ButtonRow,
  Checkbox,
  Dialog,
  endUndo,
  Field,
  Loaded,
  networkNames,
  Page,
  Select,
  Time,
  toast,
  toastError,
  useSearchState,
  useTyped,
} from '../../ui'
import { clock, firstDayOfWeek, minutesOf } from '../../zone'
import { type SlotDraft, useAdoption, useNextInstants, useSlotActions, useSlots } from './data'
import { clickedMinutes, dayName, daysInWords, type Slot, timeOf, weekdaysFrom, weekOf } from './model'
import styles from './slots.module.css'

type Editing = { slot: Slot | null; draft: SlotDraft }

const allDays = [0, 1, 2, 3, 4, 5, 6]

/** The times of the week at which posts go out by themselves. */
export default function SlotsPage() {
  const { zone } = useSession()
  const slots = useSlots()
  const mayManage = useCan('manage_slots')
  const adoption = useAdoption(slots.data)
  const [editing, setEditing] = useState<Editing | null>(null)
  const add = (minutes: number, daysOfWeek: number[]) =>
    setEditing({
      slot: null,
      draft: { hour: Math.floor(minutes / 60), minute: minutes % 60, label: null, daysOfWeek },
    })
  return (
    <Page
      title="Slots"
      wide
      note={
        <>
          Times of the week at which queued posts go out, on the clocks of <strong>{zone}</strong>.
        </>
      }
      actions={
        mayManage && (
          <Button kind="primary" icon="plus" onClick={() => add(9 * 60, allDays)}>
            Add a slot
          </Button>
        )
      }
    >
      <Loaded query={slots} label="Loading the slots">
        {grid => (
          <div className={styles.both}>
            <div>
              {(grid.usingDefaults || (mayManage && adoption.left.length > 0)) && (
                <Defaults adoption={adoption} mayManage={mayManage} />
              )}
              <Week
                slots={grid.slots}
                onAdd={mayManage ? add : undefined}
                onEdit={mayManage && !grid.usingDefaults ? slot => setEditing({ slot, draft: slot }) : undefined}
              />
            </div>
            <Preview />
            {editing && (
              <Editor
                editing={editing}
                defaults={grid.usingDefaults ? grid.slots : adoption.left}
                adopt={adoption.run}
                onClose={() => setEditing(null)}
              />
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** That a team has the defaults, or lacks some of them because making them its own was interrupted. */
function Defaults({ adoption, mayManage }: { adoption: ReturnType<typeof useAdoption>; mayManage: boolean }) {
  const { left, run, leave } = adoption
  const [busy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    try {
      await run()
      toast('The slots are your own now')
    } catch (e) {
      toastError('Not all slots could be made your own', e)
    } finally {
      setBusy(false)
    }
  }
  const some = left.length > 0
  return (
    <p className={styles.defaults}>
      <span>
        {some
          ? `Some of the defaults are not your own yet: ${left.map(timeOf).join(', ')}. Queued posts do not go out then.`
          : 'This team has no slots of its own yet. These are the defaults.'}
      </span>
      {mayManage && (
        <Button size="small" busy={busy} onClick={make}>
          {some ? 'Add the rest' : 'Make them ours to change them'}
        </Button>
      )}
      {some && (
        <Button size="small" disabled={busy} onClick={leave}>
          Leave them out
        </Button>
      )}
    </p>
  )
}

function Week({
  slots,
  onAdd,
  onEdit,
}: {
  slots: Slot[]
  onAdd?: (minutes: number, days: number[]) => void
  onEdit?: (slot: Slot) => void
}) {
  const week = weekOf(slots)
  const click = (day: number) => (e: MouseEvent<HTMLDivElement>) => {
    if (e.target !== e.currentTarget || !onAdd) return
    const box = e.currentTarget.getBoundingClientRect()
    onAdd(clickedMinutes(box.top, box.height, e.clientY), [day])
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keyboard
    <section className={styles.week} aria-label="Week" tabIndex={0}>
      <div className={styles.hours} aria-hidden="true">
        {[0, 3, 6, 9, 12, 15, 18, 21].map(hour => (
          <span key={hour}>{clock(hour * 60)}</span>
        ))}
      </div>
      {weekdaysFrom(firstDayOfWeek()).map(day => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div key={day} className={styles.day} role="group" aria-label={dayName(day)}>
          <h2>{dayName(day).slice(0, 3)}</h2>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button "Add a slot" does the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: an empty time is no control of its own */}
          <div className={`${styles.column} ${onAdd ? styles.open : ''}`} onClick={click(day)}>
            {week[day]?.map(({ slot, minutes }) => (
              <button
                key={slot.id}
                type="button"
                className={styles.slot}
                style={{ top: `${(minutes / 1440) * 100}%` }}
                disabled={!onEdit}
                title={slot.label ?? undefined}
                aria-label={`${timeOf(slot)}${slot.label ? `, ${slot.label}` : ''}, ${daysInWords(slot.daysOfWeek)}`}
                onClick={() => onEdit?.(slot)}
              >
                {timeOf(slot)} {slot.label && <span>{slot.label}</span>}
              </button>
            ))}
          </div>
        </div>
      ))}
    </section>
  )
}

function Editor({
  editing,
  defaults,
  adopt,
  onClose,
}: {
  editing: Editing
  /** The defaults that are not the team's own. */
  defaults: SlotDraft[]
  adopt: () => Promise<void>
  onClose: () => void
}) {
  const { create, update, remove } = useSlotActions()
  const [draft, setDraft] = useState(editing.draft)
  const [keep, setKeep] = useState(true)
  const [problem, setProblem] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const { slot } = editing

  const run = async (work: () => Promise<unknown>, done: () => void) => {
    setBusy(true)
    setProblem(null)
    endUndo()
    try {
      await work()
      done()
      onClose()
    } catch (e) {
      setProblem(e)
    } finally {
      setBusy(false)
    }
  }
  const save = (e: FormEvent) => {
    e.preventDefault()
    const body = {
      hour: draft.hour,
      minute: draft.minute,
      label: draft.label?.trim() || null,
      daysOfWeek: draft.daysOfWeek,
    }
    run(
      async () => {
        if (slot) return update(slot.id, body)
        if (keep && defaults.length) await adopt()
        return create(body)
      },
      () => toast(`${timeOf(draft)}, ${daysInWords(draft.daysOfWeek)}: ${slot ? 'changed' : 'added'}`),
    )
  }
  const drop = () => {
    if (!slot) return
    const { hour, minute, label, daysOfWeek } = slot
    run(
      () => remove(slot.id),
      () =>
        toast(`Slot at ${timeOf(slot)} removed`, () =>
          create({ hour, minute, label, daysOfWeek }).then(
            () => undefined,
            e => toastError('The slot could not be brought back', e),
          ),
        ),
    )
  }
  const time = useTyped(timeOf(draft), text => {
    const minutes = minutesOf(text)
    if (text) setDraft(d => ({ ...d, hour: Math.floor(minutes / 60), minute: minutes % 60 }))
  })
  const toggle = (day: number) =>
    setDraft(d => ({
      ...d,
      daysOfWeek: d.daysOfWeek.includes(day) ? d.daysOfWeek.filter(x => x !== day) : [...d.daysOfWeek, day].sort(),
    }))

  return (
    <Dialog title={slot ? 'Change the slot' : 'Add a slot'} onClose={onClose}>
      <form className={styles.form} onSubmit={save}>
        <Field label="Time" type="time" required {...time} />
        <fieldset className={styles.days}>
          <legend>Days</legend>
          {weekdaysFrom(firstDayOfWeek()).map(day => (
            <Checkbox
              key={day}
              label={dayName(day)}
              checked={draft.daysOfWeek.includes(day)}
              onChange={() => toggle(day)}
            />
          ))}
        </fieldset>
        <Field
          label="Name (may be empty)"
          value={draft.label ?? ''}
          onChange={e => setDraft(d => ({ ...d, label: e.target.value }))}
          problem={problem instanceof ApiError ? problem.issueAt('label') : undefined}
        />
        {!slot && defaults.length > 0 && (
          <Checkbox
            label={`Keep the defaults too (${defaults.map(timeOf).join(', ')})`}
            hint="A team with slots of its own does not use the defaults any more."
            checked={keep}
            onChange={e => setKeep(e.target.checked)}
          />
        )}
        {problem !== null && (
          <p role="alert" className={styles.problem}>
            {explain(problem)}
          </p>
        )}
        <ButtonRow end>
          {slot && (
            <Button kind="danger" icon="trash" disabled={busy} onClick={drop}>
              Remove
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={draft.daysOfWeek.length === 0}>
            {slot ? 'Save' : 'Add'}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}

/** What the grid means on real days, for one account or for all. */
function Preview() {
  const { team, zone } = useSession()
  const [search, setSearch] = useSearchState()
  const accounts = (useAccounts(team.id).data ?? []).filter(a => a.status !== 'disconnected')
  const next = useNextInstants(search.account)
  return (
    <section className={styles.preview} aria-labelledby="next-instants">
      <h2 id="next-instants">The next ten</h2>
      <Select
        label="Free for"
        value={search.account ?? ''}
        onChange={e => setSearch({ account: e.target.value || undefined })}
      >
        <option value="">Any account (taken or not)</option>
        {accounts.map(a => (
          <option key={a.id} value={a.id}>
            {a.displayName} · {networkNames[a.provider]}
          </option>
        ))}
      </Select>
      <Loaded query={next}>
        {({ slots }) =>
          slots.length === 0 ? (
            <p className={styles.none}>None within 90 days.</p>
          ) : (
            <ol className={styles.instants}>
              {slots.map(s => (
                <li key={s.startsAt}>
                  <Time at={s.startsAt} style="short" /> {s.label && <span>{s.label}</span>}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      <p className={styles.none}>In {zone}; on days when the clocks change the time on the clock stays the same.</p>
    </section>
  )
}
