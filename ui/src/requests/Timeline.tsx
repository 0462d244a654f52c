import { useMemo, useRef, useState } from 'preact/hooks'
import { duration, plural } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { outcomeOf, timelineBars, type TimelineBar } from './timelineBars.ts'

/** As many bars as can be told apart and pointed at. */
const most = 120

const height = 40

/** So wide is a bar where there are few, in pixels. */
const widest = 24

interface Props {
  /** The newest first */
  entries: readonly JournalEntry[]
  /** Ids that are chosen */
  chosen: [first: number, last: number] | undefined
  onChoose: (ids: [first: number, last: number] | undefined) => void
}

/** The calls as bars, the oldest at the left: how long each took and how it ended. Some are chosen by drawing over them. */
export function Timeline({ entries, chosen, onChoose }: Props) {
  const bars = useMemo(() => timelineBars(entries, most), [entries])
  const longest = Math.max(1, ...bars.map((bar) => bar.longest))
  const box = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState<[from: number, to: number]>()
  if (bars.length < 2) return null
  const last = bars.length - 1
  const [from, to] = drawn ? (drawn.toSorted((a, b) => a - b) as [number, number]) : spanOf(bars, chosen)
  const isNarrowed = from > 0 || to < last

  const choose = (first: number, end: number) => {
    const [low, high] = [Math.min(first, end), Math.max(first, end)]
    const isAll = low === 0 && high === last
    onChoose(isAll ? undefined : [bars[low]?.firstId ?? 0, bars[high]?.lastId ?? 0])
  }
  const barAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = (box.current as HTMLDivElement).getBoundingClientRect()
    return Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * bars.length)))
  }
  const end = (event: PointerEvent) => {
    if (drawn) choose(drawn[0], barAt(event))
    setDrawn(undefined)
  }

  return (
    <div
      class="timeline"
      role="group"
      aria-label="Timeline"
      style={{ maxWidth: `${Math.max(18, bars.length) * widest}px` }} // the words need as much as 18 bars
    >
      <div
        class="timeline-bars"
        ref={box}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrawn([barAt(event), barAt(event)])
        }}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], barAt(event)])}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(undefined)}
      >
        <svg
          viewBox={`0 0 ${bars.length} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={inWords(entries)}
        >
          {bars.map((bar, i) => {
            const tall = 4 + (height - 4) * (Math.log1p(bar.longest) / Math.log1p(longest))
            return (
              <rect
                key={bar.firstId}
                class={`bar-${bar.outcome} ${i < from || i > to ? 'is-out' : ''}`}
                x={i + 0.1}
                y={height - tall}
                width={0.8}
                height={tall}
              />
            )
          })}
        </svg>
      </div>
      <div class="timeline-ends">
        {(['First', 'Last'] as const).map((name) => {
          const at = name === 'First' ? from : to
          const bar = bars[at] as TimelineBar
          const id = name === 'First' ? bar.firstId : bar.lastId
          return (
            <input
              key={name}
              type="range"
              aria-label={`${name} request of the list`}
              aria-valuetext={`#${id}`}
              min={0}
              max={last}
              value={at}
              onInput={(event) => {
                const value = Number(event.currentTarget.value)
                if (name === 'First') choose(Math.min(value, to), to)
                else choose(from, Math.max(value, from))
              }}
            />
          )
        })}
      </div>
      <p class="muted timeline-words">
        <span>
          #{bars[from]?.firstId} to #{bars[to]?.lastId}
          {isNarrowed && (
            <button type="button" class="small quiet" onClick={() => onChoose(undefined)}>
              All of them
            </button>
          )}
        </span>
        <span>
          median {duration(medianOf(entries))}, slowest {duration(longestOf(entries))}
        </span>
      </p>
    </div>
  )
}

/** The bars that a choice of ids covers. */
function spanOf(bars: readonly TimelineBar[], chosen: Props['chosen']): [from: number, to: number] {
  if (!chosen) return [0, bars.length - 1]
  const from = bars.findIndex(({ lastId }) => lastId >= chosen[0])
  const to = bars.findLastIndex(({ firstId }) => firstId <= chosen[1])
  return [from < 0 ? bars.length - 1 : from, Math.max(0, to)]
}

function inWords(entries: readonly JournalEntry[]): string {
  const counts = { good: 0, bad: 0, broken: 0, lost: 0 }
  for (const { status } of entries) counts[outcomeOf(status)]++
  return [
    plural(entries.length, 'call'),
    `${counts.good} answered`,
    `${counts.bad} refused`,
    `${counts.broken} failed`,
    `${counts.lost} lost`,
  ].join(', ')
}

function longestOf(entries: readonly JournalEntry[]): number {
  return Math.max(...entries.map(({ durationMs }) => durationMs))
}

function medianOf(entries: readonly JournalEntry[]): number {
  const sorted = entries.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
