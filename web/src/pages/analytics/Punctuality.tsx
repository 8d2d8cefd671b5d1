import { formatDuration, Loaded, NetworkGlyph, networkNames } from '../../ui'
import styles from './analytics.module.css'
import { type Scope, useDelivery } from './data'

/** Whether posts went out, and how long after their time. */
export function Punctuality({ scope }: { scope: Scope }) {
  const delivery = useDelivery(scope)
  return (
    <section className={styles.section} aria-labelledby="punctuality">
      <h2 id="punctuality">On time</h2>
      <Loaded query={delivery}>
        {d => {
          const rows = [{ ...d, provider: null }, ...(d.byProvider.length > 1 ? d.byProvider : [])]
          const slowest = Math.max(1, ...rows.map(r => r.lateness?.p99Ms ?? 0))
          if (d.published + d.failed + d.missed + d.unknown === 0) {
            return <p className={styles.soft}>Nothing was due in this window.</p>
          }
          return (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keyboard
            <section className={styles.scroll} tabIndex={0} aria-label="Deliveries by network">
              <table className={styles.ranking}>
                <thead>
                  <tr>
                    <th scope="col">Network</th>
                    <th scope="col">Published</th>
                    <th scope="col">Failed</th>
                    <th scope="col">Missed</th>
                    <th scope="col">Unknown</th>
                    <th scope="col">Half within</th>
                    <th scope="col">99 of 100 within</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(r => (
                    <tr key={r.provider ?? 'all'}>
                      <th scope="row">
                        {r.provider ? (
                          <>
                            <NetworkGlyph provider={r.provider} size={14} /> {networkNames[r.provider]}
                          </>
                        ) : (
                          'All'
                        )}
                      </th>
                      <td>{r.published}</td>
                      <td>{r.failed}</td>
                      <td>{r.missed}</td>
                      <td>{r.unknown}</td>
                      <td>{r.lateness ? formatDuration(r.lateness.p50Ms) : '–'}</td>
                      <td>
                        {r.lateness ? (
                          <span className={styles.late}>
                            <span
                              className={styles.bar}
                              style={{ width: `${Math.max(2, (r.lateness.p99Ms / slowest) * 60)}px` }}
                            />
                            {formatDuration(r.lateness.p99Ms)}
                          </span>
                        ) : (
                          '–'
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }}
      </Loaded>
    </section>
  )
}
