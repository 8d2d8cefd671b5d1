import { useCan } from '../../session'
import { Loaded, toast, toastError } from '../../ui'
import { clock } from '../../zone'
import { useAdoption, useSlotActions, useSlots } from '../slots/data'
import { dayName } from '../slots/model'
import styles from './analytics.module.css'
import { type Scope, useBestTimes } from './data'
import { type Cell, strength, weekOf } from './window'

/** The hours of the week in which posts did better than usual. One click makes an hour a slot. */
export function BestTimes({ scope }: { scope: Scope }) {
  const times = useBestTimes(scope)
  const maySlots = useCan('manage_slots')
  const makeSlot = useMakeSlot()
  return (
    <section className={styles.section} aria-labelledby="best-times">
      <h2 id="best-times">Best times</h2>
      <Loaded query={times}>
        {t =>
          !t.known ? (
            <p className={styles.soft}>{t.reason || 'No hour stands out from chance yet.'}</p>
          ) : (
            <>
              <p className={styles.soft}>
                Engagement against what is usual for the account, from {t.posts} posts. An hour with fewer than{' '}
                {t.minimumPosts} posts says nothing.{maySlots && ' Choose an hour to make it a slot.'}
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keyboard */}
              <section className={styles.scroll} tabIndex={0} aria-label="Hours of the week">
                <table className={styles.week}>
                  <thead>
                    <tr>
                      <td />
                      {Array.from({ length: 24 }, (_, hour) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its number
                        <th key={hour} scope="col">
                          {hour}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {weekOf(t.cells).map((hours, day) => (
                      <tr key={hours[0]?.weekday}>
                        <th scope="row">{dayName((day + 1) % 7).slice(0, 3)}</th>
                        {hours.map(c => (
                          <td key={c.hour} data-strength={strength(c.score)}>
                            <HourCell cell={c} onSlot={maySlots ? makeSlot : undefined} />
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function HourCell({ cell: c, onSlot }: { cell: Cell; onSlot?: (c: Cell) => void }) {
  if (c.posts === 0) return null
  const name = `${dayName(c.weekday % 7)} ${clock(c.hour * 60)}`
  const says = `${c.score === null ? 'too few posts to tell' : `${c.score.toFixed(1)} times the usual`}, ${c.posts} posts`
  if (!onSlot || c.score === null) {
    return (
      <span title={`${name}: ${says}`}>
        {c.posts}
        <span className="visually-hidden"> posts, {says}</span>
      </span>
    )
  }
  return (
    <button
      type="button"
      title={`${name}: ${says}`}
      aria-label={`Make ${name} a slot: ${says}`}
      onClick={() => onSlot(c)}
    >
      {c.posts}
    </button>
  )
}

/** Makes an hour a slot; undefined until it is known which slots there are. */
function useMakeSlot(): ((c: Cell) => Promise<void>) | undefined {
  const { data: grid } = useSlots()
  const { create, remove } = useSlotActions()
  const { left, run: adopt } = useAdoption(grid)
  if (!grid) return undefined
  return async (c: Cell) => {
    const day = c.weekday % 7
    if (grid.slots.some(s => s.hour === c.hour && s.minute === 0 && s.daysOfWeek.includes(day))) {
      toast(`${dayName(day)} ${clock(c.hour * 60)} is a slot already`)
      return
    }
    try {
      // A team with a slot of its own does not use the defaults any more: they are kept beside it.
      if (grid.usingDefaults || left.length > 0) await adopt()
      const made = await create({ hour: c.hour, minute: 0, label: null, daysOfWeek: [day] })
      toast(`${dayName(day)} ${clock(c.hour * 60)} is a slot now`, () =>
        remove(made.id).then(
          () => undefined,
          e => toastError('The slot could not be removed', e),
        ),
      )
    } catch (e) {
      toastError('The slot was not made', e)
    }
  }
}
