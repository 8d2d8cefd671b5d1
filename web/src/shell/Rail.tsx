import { Link, useNavigate } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useAccounts, useAttentionCount } from '../api/hooks'
import { accountCause } from '../pages/attention/cause'
import { useCan, useSession } from '../session'
import { buttonClass } from '../ui/Button'
import { Icon, type IconName } from '../ui/Icon'
import { Menu, type MenuItem } from '../ui/Menu'
import styles from './Rail.module.css'
import { getTheme, setTheme, subscribeTheme, type Theme } from './theme'
import { useSwitchTeam } from './useTeamChoice'

/** What the palette finds: everything, or teams alone. */
export type PaletteOf = 'all' | 'teams'

type OnPalette = (of: PaletteOf) => void

type Entry = { to: string; word: string; icon: IconName; onPhone?: boolean }

export const entries: Entry[] = [
  { to: '/', word: 'Calendar', icon: 'calendar', onPhone: true },
  { to: '/queue', word: 'Queue', icon: 'queue', onPhone: true },
  { to: '/posts', word: 'Posts', icon: 'posts' },
  { to: '/attention', word: 'Attention', icon: 'attention', onPhone: true },
  { to: '/media', word: 'Media', icon: 'media' },
  { to: '/analytics', word: 'Analytics', icon: 'analytics' },
  { to: '/accounts', word: 'Accounts', icon: 'accounts' },
  { to: '/slots', word: 'Slots', icon: 'slots' },
  { to: '/settings', word: 'Settings', icon: 'settings' },
]

const command = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl '

/** The navigation: a column beside the page, or a bar below it on a phone. */
export function Rail({ onPalette }: { onPalette: OnPalette }) {
  const { team } = useSession()
  const mayWrite = useCan('write_posts')
  const broken = useAccounts(team.id).data?.filter(a => accountCause(a)).length ?? 0
  const attention = (useAttentionCount(team.id).data ?? 0) + broken
  return (
    <nav className={styles.rail} aria-label="Main">
      <div className={styles.top}>
        <TeamSwitcher />
      </div>
      {mayWrite && (
        <Link to="/compose" className={`${buttonClass({ kind: 'primary' })} ${styles.compose}`} aria-label="New post">
          <Icon name="compose" size={18} />
          <span className={styles.wideText}>New post</span>
        </Link>
      )}
      <ul className={styles.list}>
        {entries.map(e => (
          <li key={e.to} className={e.onPhone ? '' : styles.wideOnly}>
            <Link
              to={e.to}
              className={styles.link}
              activeOptions={{ exact: e.to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Icon name={e.icon} />
              <span>{e.word}</span>
              {e.to === '/attention' && attention > 0 && (
                <span className={styles.count}>
                  {attention}
                  <span className="visually-hidden"> need attention</span>
                </span>
              )}
            </Link>
          </li>
        ))}
        <li className={styles.phoneOnly}>
          <PhoneMenu onPalette={onPalette} />
        </li>
      </ul>
      <div className={styles.foot}>
        <button type="button" className={styles.link} onClick={() => onPalette('all')}>
          <Icon name="search" />
          <span>Find</span>
          <kbd className={styles.key}>{command}K</kbd>
        </button>
        <a className={styles.link} href="/docs" target="_blank" rel="noreferrer">
          <Icon name="help" />
          <span>Help</span>
        </a>
        <PersonMenu />
      </div>
    </nav>
  )
}

function TeamSwitcher() {
  const { team, teams, organization, organizations } = useSession()
  const switchTeam = useSwitchTeam()
  const label = (
    <span className={styles.team}>
      <strong>{team.name}</strong>
      {organization.name !== team.name && <span>{organization.name}</span>}
    </span>
  )
  if (teams.length < 2) return <div className={styles.alone}>{label}</div>
  const nameOf = (id: string) => organizations.find(o => o.id === id)?.name
  const items: MenuItem[] = teams.map(t => ({
    label: organizations.length > 1 ? `${t.name} · ${nameOf(t.organizationId) ?? ''}` : t.name,
    checked: t.id === team.id,
    onSelect: () => switchTeam(t.id),
  }))
  return (
    <Menu
      label={`Team ${team.name}: switch to another`}
      align="start"
      className={styles.switcher}
      items={items}
      trigger={
        <>
          {label}
          <Icon name="down" size={16} />
        </>
      }
    />
  )
}

const themes: { theme: Theme; word: string }[] = [
  { theme: 'system', word: 'Colours of the system' },
  { theme: 'light', word: 'Light' },
  { theme: 'dark', word: 'Dark' },
]

function useThemeItems(): MenuItem[] {
  const chosen = useSyncExternalStore(subscribeTheme, getTheme)
  return themes.map(({ theme, word }) => ({
    label: word,
    checked: chosen === theme,
    onSelect: () => setTheme(theme),
  }))
}

function PersonMenu() {
  const { user } = useSession()
  const navigate = useNavigate()
  const items: MenuItem[] = [
    {
      label: 'Your profile',
      icon: 'accounts',
      onSelect: () => navigate({ to: '/settings/$section', params: { section: 'profile' } }),
    },
    'line',
    ...useThemeItems(),
    'line',
    { label: 'Sign out', icon: 'external', onSelect: signOut },
  ]
  return (
    <Menu
      label={`Signed in as ${user?.name ?? 'somebody'}`}
      align="start"
      className={styles.person}
      items={items}
      trigger={
        <>
          <Icon name="accounts" />
          <span className={styles.personName}>{user?.name ?? 'You'}</span>
        </>
      }
    />
  )
}

function PhoneMenu({ onPalette }: { onPalette: OnPalette }) {
  const { team, teams } = useSession()
  const navigate = useNavigate()
  const themeItems = useThemeItems()
  const switcher: MenuItem[] = [
    { label: `Team: ${team.name}`, icon: 'repeat', onSelect: () => onPalette('teams') },
    'line',
  ]
  const items: MenuItem[] = [
    ...(teams.length > 1 ? switcher : []),
    ...entries
      .filter(e => !e.onPhone)
      .map(e => ({ label: e.word, icon: e.icon, onSelect: () => void navigate({ to: e.to }) })),
    { label: 'Find', icon: 'search', onSelect: () => onPalette('all') },
    { label: 'Help', icon: 'help', onSelect: () => void open('/docs') },
    'line',
    ...themeItems,
    'line',
    { label: 'Sign out', icon: 'external', onSelect: signOut },
  ]
  return (
    <Menu
      label="More"
      className={styles.link}
      items={items}
      trigger={
        <>
          <Icon name="menu" />
          <span>More</span>
        </>
      }
    />
  )
}

/** Signing out is a form of the plain pages: the server ends the session and shows the way back in. */
export function signOut() {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/sign-out'
  document.body.append(form)
  form.submit()
}
