import type { JournalEntry } from '../lib/types.ts'

export type Outcome = 'good' | 'bad' | 'broken' | 'lost'

/** One call of the timeline, or a few that share a bar. */
export interface TimelineBar {
  firstId: number
  lastId: number
  /** The worst of them */
  outcome: Outcome
  /** The longest, in milliseconds */
  longest: number
}

const ranks: readonly Outcome[] = ['good', 'bad', 'broken', 'lost']

export function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'lost'
  return status < 300 ? 'good' : status < 500 ? 'bad' : 'broken'
}

/** At most so many bars for the entries, the oldest first. */
export function timelineBars(newestFirst: readonly JournalEntry[], most: number): TimelineBar[] {
  const each = Math.ceil(newestFirst.length / most)
  const bars: TimelineBar[] = []
  for (let end = newestFirst.length; end > 0; end -= each) {
    const group = newestFirst.slice(Math.max(0, end - each), end)
    bars.push({
      firstId: group.at(-1)?.id ?? 0,
      lastId: group[0]?.id ?? 0,
      outcome: ranks[Math.max(...group.map(({ status }) => ranks.indexOf(outcomeOf(status))))] ?? 'good',
      longest: Math.max(...group.map(({ durationMs }) => durationMs)),
    })
  }
  return bars
}
