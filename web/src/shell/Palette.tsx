import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api, ask } from '../api/client'
import { explain } from '../api/error'
import { key } from '../api/query'
import { useCan, useSession } from '../session'
import { useModal } from '../ui/Dialog'
import { Icon, type IconName } from '../ui/Icon'
import styles from './Palette.module.css'
import { entries, type PaletteOf } from './Rail'
import { useSwitchTeam } from './useTeamChoice'

type Choice = { id: string; icon: IconName; text: string; hint: string; run: () => void }

/** Go anywhere, start a post, find one, change the team: everything that has a name, by typing it. */
export default function Palette({ of, onClose }: { of: PaletteOf; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const dialog = useModal('input')
  const listId = useId()
  const { choices, note } = useChoices(text, of)
  const chosen = Math.min(at, Math.max(0, choices.length - 1))

  useEffect(() => {
    document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, chosen])

  const onKeyDown = (e: KeyboardEvent) => {
    // The Enter and the arrows of somebody who is choosing the letters of a word.
    if (e.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) {
      e.preventDefault()
      setAt((chosen + step + choices.length) % Math.max(1, choices.length))
    } else if (e.key === 'Enter') {
      e.preventDefault()
      take(choices[chosen])
    }
  }
  const take = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.run()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Find"
      onClose={onClose}
      onClick={e => e.target === dialog.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={choices.length ? `${listId}-${chosen}` : undefined}
        aria-label={finds[of]}
        placeholder={finds[of]}
        value={text}
        onChange={e => {
          setText(e.target.value)
          setAt(0)
        }}
      />
      <div id={listId} role="listbox" aria-label="Results" className={styles.list}>
        {choices.map((c, n) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and points here
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox takes the keys
          <div
            key={c.id}
            id={`${listId}-${n}`}
            role="option"
            aria-selected={n === chosen}
            className={styles.choice}
            onPointerMove={() => setAt(n)}
            onClick={() => take(c)}
          >
            <Icon name={c.icon} size={18} />
            <span className={styles.text}>{c.text}</span>
            <span className={styles.hint}>{c.hint}</span>
          </div>
        ))}
      </div>
      <p role="status" className={note ? styles.none : 'visually-hidden'}>
        {note}
      </p>
    </dialog>
  )
}

const finds: Record<PaletteOf, string> = {
  all: 'Go to a page, find a post, switch team',
  teams: 'Switch team',
}

/** What fits what is typed; and what is to be said of it, because posts are still searched, or nothing was found. */
function useChoices(text: string, of: PaletteOf): { choices: Choice[]; note: string } {
  const { team, teams, organizations } = useSession()
  const navigate = useNavigate()
  const switchTeam = useSwitchTeam()
  const mayWrite = useCan('write_posts')
  const words = text.trim().toLowerCase()
  const { posts, searching, error } = useFoundPosts(team.id, of === 'all' ? words : '')

  const fixed: Choice[] = []
  if (mayWrite && of === 'all') {
    fixed.push({ id: 'new', icon: 'compose', text: 'New post', hint: 'Write', run: () => navigate({ to: '/compose' }) })
  }
  for (const e of of === 'all' ? entries : []) {
    fixed.push({ id: e.to, icon: e.icon, text: e.word, hint: 'Go to', run: () => navigate({ to: e.to }) })
  }
  for (const t of teams) {
    if (t.id !== team.id) {
      const organization = organizations.length > 1 && organizations.find(o => o.id === t.organizationId)?.name
      const hint = organization ? `Switch team · ${organization}` : 'Switch team'
      fixed.push({ id: t.id, icon: 'accounts', text: t.name, hint, run: () => switchTeam(t.id) })
    }
  }
  const found = posts.map(p => ({
    id: p.id,
    icon: 'posts' as const,
    text: p.title || p.text || 'Post without text',
    hint: 'Post',
    run: () => navigate({ to: '/posts/$postId', params: { postId: p.id } }),
  }))
  const choices = [...fixed.filter(c => c.text.toLowerCase().includes(words)), ...found]
  if (error) return { choices, note: `Posts could not be searched: ${explain(error)}` }
  if (searching) return { choices, note: 'Searching posts…' }
  if (choices.length > 0) return { choices, note: '' }
  return {
    choices,
    note: of === 'all' ? 'Nothing has this name. Posts are found by whole words.' : 'No team has this name.',
  }
}

function useFoundPosts(teamId: string, words: string) {
  const query = useQuery({
    queryKey: key('posts', teamId, 'find', words),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/posts', {
          params: { path: { teamId }, query: { q: words, limit: '8' } },
          signal,
        }),
      ),
    enabled: words.length >= 2,
    placeholderData: before => before,
  })
  if (words.length < 2) return { posts: [], searching: false, error: null }
  const searching = query.isPending || query.isPlaceholderData
  return { posts: query.data?.data ?? [], searching, error: query.error }
}
