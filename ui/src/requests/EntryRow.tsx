import { lineText, type ChangeLine } from '../lib/describeChange.ts'
import { duration, timeOfDay } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { StatusBadge } from '../parts/StatusBadge.tsx'

interface Props {
  entry: JournalEntry
  lines: readonly ChangeLine[]
}

/** One line of the journal: what was asked, what came of it, and why. */
export function EntryRow({ entry, lines }: Props) {
  const { time, method, path, operation, status, durationMs } = entry
  return (
    <>
      <span class="entry-time">{timeOfDay(time)}</span>
      <StatusBadge status={status} />
      <span class="entry-path" title={path}>
        <b>{method}</b> {path}
      </span>
      <span class="entry-operation">{operation ?? (status === 405 ? 'unknown method' : 'unknown path')}</span>
      <span class="entry-outcome">
        {entry.violations.length > 0 && <span class="mark mark-broken">contract</span>}{' '}
        {entry.forced && <span class="mark">fault</span>}{' '}
        {entry.case !== null && <span class="entry-case">{entry.case}</span>}{' '}
        <span class="entry-reason">{entry.reason ?? lines.map(lineText).join(', ')}</span>
      </span>
      <span class="entry-duration">{duration(durationMs)}</span>
    </>
  )
}
