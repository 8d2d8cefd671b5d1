import { useNavigate } from '@tanstack/react-router'
import { type MouseEvent, useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useCan, useNow, useSession } from '../../session'
import { isTyping } from '../../shell/keys'
import { Button, buttonClass, ErrorState, IconButton, LoadingState, Page, useSearchState } from '../../ui'
import { firstDayOfWeek, formatOffset, instantOf, isDate, offsetAt, startOfDay, wallAt } from '../../zone'
import { Agenda } from './Agenda'
import styles from './calendar.module.css'
import { useCalendar, useMove, useSlotInstants } from './data'
import { Filters } from './Filters'
import type { GridProps } from './grid'
import { useHold } from './hold'
import { Month } from './Month'
import { cardsOf, filterOf, fits, ghostsOf, isFiltered, rangeOf, step, titleOf, type View, views } from './model'
import { TimeGrid } from './TimeGrid'

const viewNames: Record<View, string> = { month: 'Month', week: 'Week', day: 'Day', agenda: 'Agenda' }

/** What goes out when: the first screen. */
export default function CalendarPage() {
  const session = useSession()
  const { zone } = session
  const [search, setSearch] = useSearchState()
  const navigate = useNavigate()
  const narrow = useNarrow()
  const mayMove = useCan('publish_posts')
  const mayWrite = useCan('write_posts')
  const now = useNow(30_000)
  const today = wallAt(now, zone).date
  const view: View = views.find(v => v === search.view) ?? (narrow ? 'agenda' : 'month')
  const date = isDate(search.date) ? search.date : today
  const range = useMemo(() => rangeOf(view, date, firstDay), [view, date])
  const filter = useMemo(() => filterOf(search), [search])

  const calendar = useCalendar(range)
  const slots = useSlotInstants(range)
  const entries = calendar.data?.entries
  const all = useMemo(() => cardsOf(entries ?? [], zone), [entries, zone])
  const cards = useMemo(() => all.filter(c => fits(c, filter)), [all, filter])
  // Slots are taken away as time passes, to the minute.
  const minute = Math.floor(now / 60_000)
  const ghosts = useMemo(() => ghostsOf(slots.data ?? [], zone, minute * 60_000, all), [slots.data, zone, minute, all])

  const show = useCallback(
    (patch: Record<string, string | undefined>, push?: 'push') => setSearch(patch, push),
    [setSearch],
  )
  const onDay = useCallback(
    (d: string) => show({ view: view === 'day' ? 'agenda' : 'day', date: d }, 'push'),
    [show, view],
  )
  const onShow = useCallback((d: string) => show({ date: d }), [show])
  const onNew = useCallback(
    (at: number) => navigate({ to: '/compose', search: { at: new Date(at).toISOString(), back: 'yes' } as never }),
    [navigate],
  )
  const move = useMove()
  const hold = useHold({ view, range, zone, cards, mayMove, onDrop: move, onShow })
  useKeys(view, date, show, mayWrite ? () => navigate({ to: '/compose' }) : undefined)

  /** Cards, free slots and days are plain elements, thousands at times: one listener serves them. */
  const onClick = (e: MouseEvent) => {
    const target = e.target as HTMLElement
    const post = target.closest<HTMLElement>('[data-post]')?.dataset.post
    if (post) {
      if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return
      e.preventDefault()
      navigate({ to: '/posts/$postId', params: { postId: post } })
      return
    }
    const ghost = target.closest<HTMLElement>('[data-ghost]')?.dataset.ghost
    if (ghost) onNew(Number(ghost))
    const day = target.closest<HTMLElement>('[data-new]')?.dataset.new ?? target.dataset.day
    if (day && mayWrite) onNew(firstFree(day, ghosts, zone, now))
  }

  const props: GridProps = {
    view,
    range,
    date,
    today,
    zone,
    ghosts,
    mayMove,
    mayWrite,
    onMove: move,
    onDay,
    onNew,
    cards: hold.shown,
    filtered: isFiltered(filter),
    held: hold.held?.card.id ?? null,
  }
  // Seven columns of hours are too narrow for a phone.
  const asList = view === 'agenda' || (view === 'week' && narrow)
  const Grid = view === 'month' ? Month : asList ? Agenda : TimeGrid
  return (
    <Page
      title={titleOf(view, date, range)}
      wide
      fill={!asList}
      note={<ZoneNote zone={zone} at={startOfDay(date, zone)} unset={session.team.timezone === null} />}
      actions={
        <>
          <Button onClick={() => show({ date: undefined }, 'push')} disabled={date === today}>
            Today
          </Button>
          <span className={styles.arrows}>
            <IconButton
              data-turn=""
              icon="left"
              label="Earlier"
              onClick={() => show({ date: step(view, date, -1) }, 'push')}
            />
            <IconButton
              data-turn=""
              icon="right"
              label="Later"
              onClick={() => show({ date: step(view, date, 1) }, 'push')}
            />
          </span>
          <ViewSwitch view={view} onView={v => show({ view: v }, 'push')} />
        </>
      }
    >
      <div className={styles.filters}>
        <Filters filter={filter} onChange={show} />
      </div>
      {calendar.error && !calendar.data ? (
        <ErrorState error={calendar.error} retry={() => calendar.refetch()} />
      ) : !calendar.data ? (
        <LoadingState label="Loading the calendar" />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: it listens for what is inside
        <div
          className={styles.grid}
          data-stale={calendar.isPlaceholderData ? '' : undefined}
          onClick={onClick}
          onKeyDown={hold.onKeyDown}
        >
          <Grid {...props} />
        </div>
      )}
      <p role="status" aria-live="assertive" className={hold.held ? styles.said : 'visually-hidden'}>
        {hold.said}
      </p>
    </Page>
  )
}

/** The time that a new post on a day begins with: a free slot, else noon, never the past. */
function firstFree(day: string, ghosts: GridProps['ghosts'], zone: string, now: number): number {
  const free = ghosts.find(g => g.wall.date === day)
  if (free) return free.at
  const noon = instantOf({ date: day, minutes: 12 * 60 }, zone)
  const nextHour = Math.ceil((now + 300_000) / 3_600_000) * 3_600_000
  return Math.max(noon, nextHour)
}

function ZoneNote({ zone, at, unset }: { zone: string; at: number; unset: boolean }) {
  return (
    <>
      Times in <strong>{zone}</strong> (UTC{formatOffset(offsetAt(at, zone))})
      {unset && ', because the team has no zone of its own: set one in Settings'}
    </>
  )
}

function ViewSwitch({ view, onView }: { view: View; onView: (v: View) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span className={styles.views} role="group" aria-label="View">
      {views.map(v => (
        <button
          key={v}
          type="button"
          className={buttonClass({ kind: 'quiet', size: 'small' })}
          aria-pressed={v === view}
          title={`${viewNames[v]} (${v[0]?.toUpperCase()})`}
          onClick={() => onView(v)}
        >
          {viewNames[v]}
        </button>
      ))}
    </span>
  )
}

/** T today, arrows to turn, M W D A to choose a view, N to write. */
function useKeys(
  view: View,
  date: string,
  show: (patch: Record<string, string | undefined>, push?: 'push') => void,
  onNew: (() => void) | undefined,
) {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.metaKey || e.ctrlKey || e.altKey || e.shiftKey || isTyping(e)) return
      const chosen = views.find(v => v[0] === e.key.toLowerCase())
      if (chosen) show({ view: chosen }, 'push')
      else if (e.key === 'ArrowLeft') show({ date: step(view, date, -1) })
      else if (e.key === 'ArrowRight') show({ date: step(view, date, 1) })
      else if (e.key.toLowerCase() === 't') show({ date: undefined })
      else if (e.key.toLowerCase() === 'n' && onNew) onNew()
      else return
      e.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [view, date, show, onNew])
}

const narrowScreen = matchMedia('(max-width: 48rem)')

function useNarrow(): boolean {
  return useSyncExternalStore(
    l => {
      narrowScreen.addEventListener('change', l)
      return () => narrowScreen.removeEventListener('change', l)
    },
    () => narrowScreen.matches,
  )
}

const firstDay = firstDayOfWeek()
