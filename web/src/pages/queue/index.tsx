import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, ask } from '../../api/client'
import { useAccounts } from '../../api/hooks'
import { serverNow, useCan, useNow, useSession } from '../../session'
import {
  Button,
  buttonClass,
  EmptyState,
  FilterMenu,
  formatInstant,
  Icon,
  IconButton,
  Loaded,
  Menu,
  NetworkGlyph,
  networkNames,
  Page,
  Status,
  Thumbnail,
  Time,
  toastError,
  useSearchState,
} from '../../ui'
import { addDays, clock, daysBetween, formatDay, wallAt } from '../../zone'
import { useCalendar, useReschedule, useSlotInstants } from '../calendar/data'
import { useDrag } from '../calendar/drag'
import { type Card, cardId, cardsOf, changesOf, filterOf, fits, type Ghost, ghostsOf } from '../calendar/model'
import { freeDays, neighbours, queueOf, swapChanges } from './model'
import styles from './queue.module.css'

const windowDays = 90
const pageSize = 100

/** What goes out next, in order. Changing the order swaps times. */
export default function QueuePage() {
  const session = useSession()
  const { zone, team } = session
  const [search, setSearch] = useSearchState()
  const [shown, setShown] = useState(pageSize)
  const mayWrite = useCan('write_posts')
  const now = useNow(30_000)
  const today = wallAt(now, zone).date
  const range = useMemo(() => ({ from: today, to: addDays(today, windowDays) }), [today])
  const calendar = useCalendar(range)
  const freeRange = useMemo(() => ({ from: today, to: addDays(today, freeDays) }), [today])
  const slots = useSlotInstants(freeRange)
  const accounts = useAccounts(team.id).data ?? []
  const filter = useMemo(() => filterOf({ account: search.account }), [search.account])
  const cards = useMemo(
    () =>
      cardsOf(calendar.data?.entries ?? [], zone)
        .filter(c => fits(c, filter))
        .filter(isWaiting),
    [calendar.data, zone, filter],
  )
  const minute = Math.floor(now / 60_000) * 60_000
  const ghosts = useMemo(
    () => (mayWrite && search.slots !== 'off' ? ghostsOf(slots.data ?? [], zone, minute, cards) : []),
    [slots.data, zone, minute, cards, mayWrite, search.slots],
  )
  return (
    <Page
      title="Queue"
      note={
        <>
          What goes out next. Times in <strong>{zone}</strong>.
        </>
      }
      actions={
        <>
          <FilterMenu
            label="Accounts"
            selected={filter.account}
            onChange={values => setSearch({ account: values.join(',') || undefined })}
            options={accounts
              .filter(a => a.status !== 'disconnected')
              .map(a => ({
                value: a.id,
                text: `${a.displayName} ${networkNames[a.provider]}`,
                label: (
                  <>
                    <NetworkGlyph provider={a.provider} label={networkNames[a.provider]} /> {a.displayName}
                  </>
                ),
              }))}
          />
          {mayWrite && (
            <Button
              size="small"
              aria-pressed={search.slots !== 'off'}
              icon={search.slots === 'off' ? 'eye' : 'check'}
              onClick={() => setSearch({ slots: search.slots === 'off' ? undefined : 'off' })}
            >
              Free slots
            </Button>
          )}
        </>
      }
    >
      <Loaded query={calendar} label="Loading the queue">
        {() => <Queue all={cards} shown={shown} ghosts={ghosts} today={today} filtered={filter.account.length > 0} />}
      </Loaded>
      {cards.length > shown && (
        <Button onClick={() => setShown(shown + pageSize)}>Show {Math.min(pageSize, cards.length - shown)} more</Button>
      )}
    </Page>
  )
}

const isWaiting = (c: Card) =>
  c.kind === 'scheduled_post' && ['scheduled', 'publishing', 'processing'].includes(c.status)

function Queue({
  all,
  shown,
  ghosts,
  today,
  filtered,
}: {
  all: Card[]
  /** How many of them are shown. */
  shown: number
  ghosts: Ghost[]
  today: string
  filtered: boolean
}) {
  const { zone } = useSession()
  const list = useRef<HTMLOListElement>(null)
  const mayMove = useCan('publish_posts')
  const mayWrite = useCan('write_posts')
  const reschedule = useReschedule()
  const focusOn = useRef<string | null>(null)
  const cards = useMemo(() => all.slice(0, shown), [all, shown])
  const days = useMemo(() => queueOf(cards, ghosts), [cards, ghosts])

  const swap = (a: Card | undefined, b: Card | undefined, focus?: string) => {
    if (!a || !b || a.at === b.at) return
    if (focus) focusOn.current = `${focus}-${cardId(a, b.at)}`
    reschedule(
      swapChanges(a, b),
      `Swapped ${formatInstant(a.at, zone, 'short')} and ${formatInstant(b.at, zone, 'short')}`,
    )
  }
  useEffect(() => {
    const element = focusOn.current && document.getElementById(focusOn.current)
    if (!element) return
    focusOn.current = null
    element.focus()
  })
  useDrag<Card, string>({
    container: list,
    enabled: mayMove,
    find: id => cards.find(c => c.id === id),
    locate: (card, at) => {
      const row = document.elementFromPoint(at.px, at.py)?.closest<HTMLElement>('[data-row]')
      const other = cards.find(c => c.id === row?.dataset.row)
      if (!row || !other?.movable || other.at === card.at) return null
      return { value: other.id, label: `Swap with ${clock(other.wall.minutes)}`, box: row.getBoundingClientRect() }
    },
    onDrop: (card, otherId) =>
      swap(
        card,
        cards.find(c => c.id === otherId),
      ),
  })

  if (cards.length === 0 && ghosts.length === 0) {
    return (
      <EmptyState
        icon="queue"
        title={filtered ? 'Nothing waits for these accounts' : 'Nothing waits to go out'}
        action={
          mayWrite ? (
            <Link to="/compose" className={buttonClass({ kind: 'primary' })}>
              Write a post
            </Link>
          ) : undefined
        }
      >
        Posts that are scheduled stand here, the next one first.
      </EmptyState>
    )
  }
  return (
    <ol ref={list} className={styles.queue}>
      {days.map(({ date, rows }) => (
        <li key={date}>
          <h2 className={styles.date}>
            {formatDay(date, { weekday: 'long', day: 'numeric', month: 'long' })}
            <span>{{ 0: 'today', 1: 'tomorrow' }[daysBetween(today, date)]}</span>
          </h2>
          <ul className={styles.rows}>
            {rows.map(row =>
              row.kind === 'free' ? (
                <FreeRow key={row.ghost.at} ghost={row.ghost} />
              ) : (
                <Row
                  key={row.card.id}
                  card={row.card}
                  mayMove={mayMove && row.card.movable}
                  {...neighbours(row.card, all)}
                  onSwap={(other, focus) => swap(row.card, other, focus)}
                />
              ),
            )}
          </ul>
        </li>
      ))}
    </ol>
  )
}

function FreeRow({ ghost }: { ghost: Ghost }) {
  return (
    <li className={styles.free}>
      <span className={styles.time}>
        <Time at={ghost.at} style="time" />
      </span>
      <Link
        to="/compose"
        search={{ at: new Date(ghost.at).toISOString(), back: 'yes' } as never}
        className={styles.freeLink}
      >
        <Icon name="plus" size={16} />
        Free slot{ghost.label ? `: ${ghost.label}` : ''}
      </Link>
    </li>
  )
}

function Row({
  card,
  mayMove,
  before,
  after,
  onSwap,
}: {
  card: Card
  mayMove: boolean
  before: Card | undefined
  after: Card | undefined
  onSwap: (other: Card | undefined, focus: string) => void
}) {
  const navigate = useNavigate()
  const nextFree = useNextFree(card)
  return (
    <li className={styles.row} data-row={card.id}>
      <span className={styles.time}>
        <Time at={card.at} style="time" />
      </span>
      <div className={styles.post} data-card={mayMove ? card.id : undefined}>
        {card.thumbnailUrl && <Thumbnail src={card.thumbnailUrl} size={40} />}
        <div className={styles.text}>
          <Link
            to="/posts/$postId"
            params={{ postId: card.postId }}
            className={styles.title}
            dir="auto"
            draggable={false}
          >
            {card.title || 'Post without text'}
          </Link>
          <span className={styles.accounts}>
            {card.entries.map(e => (
              <span key={e.scheduledPostId} className={styles.account}>
                <NetworkGlyph provider={e.provider} label={e.accountName ? undefined : networkNames[e.provider]} />
                {e.accountName ?? networkNames[e.provider]}
              </span>
            ))}
            {card.status !== 'scheduled' && <Status state={card.status} />}
          </span>
        </div>
      </div>
      <span className={styles.actions}>
        {mayMove && (
          <>
            <IconButton
              id={`up-${card.id}`}
              size="small"
              icon="up"
              label={before ? `Swap with the post at ${clock(before.wall.minutes)} before it` : 'It is the first'}
              disabled={!before}
              onClick={() => onSwap(before, 'up')}
            />
            <IconButton
              id={`down-${card.id}`}
              size="small"
              icon="down"
              label={after ? `Swap with the post at ${clock(after.wall.minutes)} after it` : 'It is the last'}
              disabled={!after}
              onClick={() => onSwap(after, 'down')}
            />
            <Menu
              label="More for this post"
              size="small"
              trigger={<Icon name="more" size={16} />}
              items={[
                { label: 'To the next free slot', icon: 'slots', onSelect: nextFree },
                {
                  label: 'Edit',
                  icon: 'compose',
                  onSelect: () => navigate({ to: '/compose/$postId', params: { postId: card.postId } }),
                },
                {
                  label: 'Show in the calendar',
                  icon: 'calendar',
                  onSelect: () => navigate({ to: '/', search: { view: 'day', date: card.wall.date } as never }),
                },
              ]}
            />
          </>
        )}
      </span>
    </li>
  )
}

/** Moves a card to the next slot that is free for all of its accounts. */
function useNextFree(card: Card): () => void {
  const session = useSession()
  const { team, zone } = session
  const reschedule = useReschedule()
  return async () => {
    try {
      const now = serverNow(session)
      const from = new Date(now).toISOString()
      const to = new Date(now + windowDays * 86_400_000).toISOString()
      const ids = card.entries.filter(e => e.status === 'scheduled').map(e => e.socialAccountId)
      const { slots } = await ask(
        api.GET('/v1/teams/{teamId}/scheduling-slots/calendar', {
          params: { path: { teamId: team.id }, query: { from, to, socialAccountIds: ids.join(',') } },
        }),
      )
      const free = slots.find(s => s.takenBy.length === 0 && !s.past)
      if (!free) throw new Error('there is no free slot within 90 days.')
      const at = Date.parse(free.startsAt)
      reschedule(changesOf(card, at), `Moved to ${formatInstant(at, zone, 'short')}`)
    } catch (e) {
      toastError('The post could not be moved', e)
    }
  }
}
