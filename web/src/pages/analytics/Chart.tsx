import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { subscribeTheme } from '../../shell/theme'
import { formatDay } from '../../zone'
import styles from './analytics.module.css'
import type { Line } from './data'
import { short } from './window'

const colours = ['--accent', '--info', '--good', '--warn', '--bad', '--ink', '--edge']
/** Lines differ by their dashes too, not by colour alone. */
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [8, 8], [4, 2, 1, 2]]

/** Steps of an axis that counts: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 40 }, (_, n) => ([1, 2, 5][n % 3] ?? 1) * 10 ** Math.floor(n / 3))

/** A canvas knows no custom properties: an element tells what one comes to, in the present theme. */
function resolve(element: HTMLElement, names: string[]): string[] {
  return names.map(name => {
    // A new element each time: one that changes its colour may still be on the way to it.
    const probe = document.createElement('i')
    probe.style.color = `var(${name})`
    element.append(probe)
    const found = getComputedStyle(probe).color
    probe.remove()
    return found
  })
}

type Props = { buckets: string[]; lines: Line[]; label: string; format?: (v: number | null) => string }

/** Lines over time, with gaps where nothing was told; the same as a table for those who cannot see it. */
export function Chart({ buckets, lines, label, format = short }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const shown = lines.slice(0, colours.length)
  useEffect(() => {
    const element = box.current
    if (!element || buckets.length === 0) return
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(optionsOf(element, shown, format), dataOf(buckets, shown), element)
    }
    draw()
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: 240 }))
    resized.observe(element)
    const stop = subscribeTheme(draw)
    return () => {
      resized.disconnect()
      stop()
      plot?.destroy()
    }
  }, [buckets, shown, format])
  return (
    <figure className={styles.chart}>
      <div ref={box} className={styles.plot} aria-hidden="true" />
      {lines.length > 1 && (
        <ul className={styles.legend} aria-hidden="true">
          {shown.map((l, n) => (
            <li key={l.key}>
              <svg width="26" height="8" aria-hidden="true">
                <line
                  x1="0"
                  x2="26"
                  y1="4"
                  y2="4"
                  strokeWidth="2"
                  stroke={`var(${colours[n]})`}
                  strokeDasharray={dashes[n]?.join(' ')}
                />
              </svg>
              {l.label}
            </li>
          ))}
          {lines.length > shown.length && <li>{lines.length - shown.length} more in the table</li>}
        </ul>
      )}
      <details className={styles.table}>
        <summary>The same as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
        <section className={styles.scroll} tabIndex={0} aria-label={label}>
          <table>
            <caption>{label}</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                {lines.map(l => (
                  <th key={l.key} scope="col">
                    {lines.length > 1 ? l.label : 'All'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {buckets.map((b, n) => (
                <tr key={b}>
                  <th scope="row">{formatDay(b, { day: 'numeric', month: 'short', year: 'numeric' })}</th>
                  {lines.map(l => (
                    <td key={l.key}>{format(l.values[n] ?? null)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}

function dataOf(buckets: string[], lines: Line[]): uPlot.AlignedData {
  return [buckets.map(b => Date.parse(`${b}T00:00:00Z`) / 1000), ...lines.map(l => l.values)] as uPlot.AlignedData
}

function optionsOf(element: HTMLElement, lines: Line[], format: (v: number | null) => string): uPlot.Options {
  const [soft = '', grid = ''] = resolve(element, ['--soft', '--line'])
  const strokes = resolve(element, colours)
  const axis: uPlot.Axis = {
    stroke: soft,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  }
  return {
    width: element.clientWidth,
    height: 240,
    legend: { show: false },
    // The buckets are days, whatever zone the browser is in.
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { y: { range: (_u, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      // Whole days, each named once, with room between the names.
      { ...axis, space: 76, incrs: daySteps, values: (_u, ticks) => ticks.map(t => dayOfTick(t)) },
      {
        ...axis,
        size: 56,
        incrs: format === short ? wholeSteps : undefined,
        values: (_u, ticks) => ticks.map(t => format(t)),
      },
    ],
    series: [
      {},
      ...lines.map((l, n) => ({
        label: l.label,
        stroke: strokes[n],
        width: 2,
        dash: dashes[n],
        spanGaps: false,
        points: { show: l.values.length < 46, size: 5, fill: strokes[n] },
      })),
    ],
  }
}

const daySteps = [1, 2, 3, 4, 7, 14, 28, 56, 112, 224, 448].map(days => days * 86_400)

const dayOfTick = (seconds: number) =>
  formatDay(new Date(seconds * 1000).toISOString().slice(0, 10), { day: 'numeric', month: 'short' })
