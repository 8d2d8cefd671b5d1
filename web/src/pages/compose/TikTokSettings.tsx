import { Avatar, atHandle, Checkbox, Select } from '../../ui'
import type { Account, Settings } from './draft'
import { type SettingField, valueLabel } from './networks'
import { SettingsForm } from './SettingsForm'
import styles from './settings.module.css'

type Creator = {
  privacyLevelOptions?: string[]
  commentDisabled?: boolean
  duetDisabled?: boolean
  stitchDisabled?: boolean
}

/** The keys that stand in this form by hand; the rest follows from the schema. */
const byHand = [
  'tiktokPrivacyLevel',
  'tiktokAllowComment',
  'tiktokAllowDuet',
  'tiktokAllowStitch',
  'tiktokBrandContent',
  'tiktokBrandOrganic',
  'tiktokDisclosesContent',
]

const music = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en'
const branded = 'https://www.tiktok.com/legal/page/global/bc-policy/en'

type Props = {
  account: Account
  fields: SettingField[]
  values: Settings
  hasVideo: boolean
  onChange: (key: string, value: unknown) => void
}

/** What a person who posts to TikTok has to see and to choose: whose account it is, who may see it, and what is disclosed. */
export function TikTokSettings({ account, fields, values, hasVideo, onChange }: Props) {
  return (
    <div className={styles.form}>
      <div className={styles.creator}>
        <Avatar name={account.displayName} src={account.profileImageUrl} provider="tiktok" size={36} />
        <div>
          <strong>{account.displayName}</strong>
          <span className={styles.hint}>
            Posting as this creator{account.profileHandle && ` (${atHandle(account.profileHandle)})`}
          </span>
        </div>
      </div>
      {values.tiktokPostMode !== 'inbox' && <DirectPost {...{ account, fields, values, hasVideo, onChange }} />}
      <SettingsForm
        network="tiktok"
        fields={fields.filter(f => !byHand.includes(f.key ?? ''))}
        values={values}
        onChange={onChange}
      />
      <Declaration branded={values.tiktokBrandContent === true} />
    </div>
  )
}

function DirectPost({ account, fields, values, hasVideo, onChange }: Props) {
  const creator = account.capabilities as Creator
  const paid = values.tiktokBrandContent === true
  const levels = creator.privacyLevelOptions ?? fields.find(f => f.key === 'tiktokPrivacyLevel')?.enum ?? []
  const allow = (key: string, label: string, off: boolean | undefined) => (
    <Checkbox
      label={label}
      hint={off ? 'The creator’s own settings do not allow it.' : undefined}
      disabled={off}
      checked={!off && values[key] === true}
      onChange={e => onChange(key, e.target.checked)}
    />
  )
  return (
    <>
      <Select
        label="Who can see this post"
        required
        value={typeof values.tiktokPrivacyLevel === 'string' ? values.tiktokPrivacyLevel : ''}
        problem={values.tiktokPrivacyLevel ? undefined : 'TikTok wants this to be chosen for every post.'}
        hint={paid ? 'Branded content cannot be private.' : undefined}
        onChange={e => onChange('tiktokPrivacyLevel', e.target.value || undefined)}
      >
        <option value="">Choose…</option>
        {levels.map(l => (
          <option key={l} value={l} disabled={paid && l === 'SELF_ONLY'}>
            {valueLabel(l)}
          </option>
        ))}
      </Select>
      <fieldset className={styles.group}>
        <legend>Allow others to</legend>
        {allow('tiktokAllowComment', 'Comment', creator.commentDisabled)}
        {hasVideo && allow('tiktokAllowDuet', 'Duet', creator.duetDisabled)}
        {hasVideo && allow('tiktokAllowStitch', 'Stitch', creator.stitchDisabled)}
      </fieldset>
      <Disclosure values={values} onChange={onChange} />
    </>
  )
}

/** Commercial content: off, or at least one of the two kinds. */
function Disclosure({ values, onChange }: Pick<Props, 'values' | 'onChange'>) {
  const own = values.tiktokBrandOrganic === true
  const paid = values.tiktokBrandContent === true
  const open = own || paid || values.tiktokDisclosesContent === true
  const label = paid
    ? 'Your post will be labelled “Paid partnership”.'
    : 'Your post will be labelled “Promotional content”.'
  // Once it is told, the server refuses a post that does not say which of the two it is.
  const toggle = (on: boolean) => {
    onChange('tiktokDisclosesContent', on || undefined)
    if (on) return
    onChange('tiktokBrandOrganic', undefined)
    onChange('tiktokBrandContent', undefined)
  }
  return (
    <fieldset className={styles.group}>
      <legend>Disclose commercial content</legend>
      <Checkbox
        label="This post promotes a brand, product or service"
        hint="Turn on to disclose that it promotes goods or services in exchange for something of value."
        checked={open}
        onChange={e => toggle(e.target.checked)}
      />
      {open && (
        <>
          <Checkbox
            label="Your brand"
            hint="You promote yourself or your own business."
            checked={own}
            onChange={e => onChange('tiktokBrandOrganic', e.target.checked)}
          />
          <Checkbox
            label="Branded content"
            hint="You promote another brand or a third party."
            checked={paid}
            onChange={e => {
              onChange('tiktokBrandContent', e.target.checked)
              if (e.target.checked && values.tiktokPrivacyLevel === 'SELF_ONLY')
                onChange('tiktokPrivacyLevel', undefined)
            }}
          />
          <p className={own || paid ? styles.hint : styles.problem} role="status">
            {own || paid ? label : 'Say whether it promotes you, a third party, or both: until then it is not posted.'}
          </p>
        </>
      )}
    </fieldset>
  )
}

function Declaration({ branded: withBrand }: { branded: boolean }) {
  return (
    <p className={styles.declaration}>
      By posting, you agree to TikTok’s{' '}
      {withBrand && (
        <>
          <a href={branded} target="_blank" rel="noreferrer">
            Branded Content Policy
          </a>{' '}
          and{' '}
        </>
      )}
      <a href={music} target="_blank" rel="noreferrer">
        Music Usage Confirmation
      </a>
      . After publishing, TikTok may need some minutes before the post is visible on the profile.
    </p>
  )
}
