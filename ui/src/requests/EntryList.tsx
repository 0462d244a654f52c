import { useLayoutEffect, useRef } from 'preact/hooks'
import { describeEntryChange } from '../lib/describeChange.ts'
import { splitReason } from '../lib/faults.ts'
import { formatDateTime, formatLocalTime } from '../lib/format.ts'
import { findNext, findProblems, getLabel, getSeverityTone, getWorstTone } from '../lib/problems.ts'
import type { Finding, JournalEntry } from '../lib/types.ts'
import { Status, getTone } from '../parts/small.tsx'
import { getNextRow, reveal, useNarrow, useWindow } from '../parts/useWindow.ts'
import { getRealTime } from '../state/live.ts'
import { useApp } from '../state/store.ts'
import { breaksContract } from './filterEntries.ts'

interface Props {
  entries: readonly JournalEntry[]
  chosen: JournalEntry | undefined
  onChoose: (id: number) => void
}

/** The journal, newest first. Only visible rows are rendered. Arrow keys move the selection. */
export function EntryList({ entries, chosen, onChoose }: Props) {
  const hasAccountColumn = useApp((state) => state.account === undefined && state.accounts.length > 1)
  const findings = useApp((state) => state.findings)
  const rowHeight = useNarrow() ? 64 : 36
  const { box, first, end } = useWindow(entries.length, rowHeight)
  const index = chosen ? entries.indexOf(chosen) : -1
  useStableScroll(box, entries, rowHeight)
  useLayoutEffect(() => reveal(box.current, index, rowHeight), [chosen?.id, index >= 0, rowHeight])

  const move = (event: KeyboardEvent) => {
    const to = getNextRow(event.key, index, entries.length)
    if (to === undefined) return
    event.preventDefault()
    onChoose((entries[to] as JournalEntry).id)
  }

  return (
    <div
      class={`entries ${hasAccountColumn ? 'has-accounts' : ''}`}
      role="listbox"
      aria-label="Requests, newest first"
      aria-activedescendant={index >= first && index < end ? `entry-${chosen?.id}` : undefined}
      tabindex={0}
      ref={box}
      onKeyDown={move}
    >
      <div class="entries-body" role="presentation" style={{ height: `${entries.length * rowHeight}px` }}>
        {entries.slice(first, end).map((entry, i) => {
          // Mistakes of low severity usually show in every request.
          const problems = findProblems(findings, entry.id).filter(({ severity }) => severity !== 'low')
          const alarm = problems.length > 0 ? `is-problem ${getWorstTone(problems)}` : ''
          return (
            <div
              id={`entry-${entry.id}`}
              key={entry.id}
              class={`entry ${alarm || getTone(entry.status)} ${entry.rewound ? 'is-rewound' : ''}`}
              role="option"
              aria-selected={entry === chosen}
              aria-posinset={first + i + 1}
              aria-setsize={entries.length}
              style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
              onClick={() => onChoose(entry.id)}
            >
              <EntryRow {...{ entry, problems, onChoose }} hasAccount={hasAccountColumn} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  entry: JournalEntry
  problems: readonly Finding[]
  hasAccount: boolean
  onChoose: (id: number) => void
}

/** A row of the journal: the request, its status and problems, and the reason, the changes, or both. */
function EntryRow({ entry, problems, hasAccount, onChoose }: RowProps) {
  const { time, method, path, status, account, forced, rewound } = entry
  const real = getRealTime(entry)
  const isNarrow = useNarrow()
  const reason = entry.reason ?? entry.case
  const changes = describeEntryChange(entry).join(', ')
  const [fault, effect] = splitReason(reason ?? '')
  // A change already shows that the operation was executed.
  const explanation = forced
    ? effect.replace(changes && ', after the operation has been executed', '')
    : reason
  return (
    <>
      <span class="entry-id figures">#{entry.id}</span>
      <span
        class="entry-time figures"
        title={`${formatDateTime(Date.parse(time))} UTC on the account’s clock`}
      >
        {real === undefined ? '–' : formatLocalTime(real)}
      </span>
      <Status status={status} />
      <span class="entry-path" title={path}>
        <b>{method}</b> {path}
      </span>
      <span class="entry-outcome" title={reason ?? undefined}>
        <span class="entry-marks">
          {problems.map((problem) => (
            <ProblemChip key={problem.finding} {...{ problem, id: entry.id, onChoose }} />
          ))}
          {breaksContract(entry) && <span class="mark tone-bad">violation</span>}
          {rewound && <span class="mark">rewound</span>}
          {forced && <span class="mark">{fault}</span>}
        </span>
        <span class={`entry-text ${explanation && changes ? 'is-double' : ''}`}>
          {explanation ?? (changes || (isNarrow && entry.operation))}
          {explanation && changes && <span class="entry-change">{changes}</span>}
        </span>
      </span>
      {hasAccount && <span class="entry-account">{account ?? '–'}</span>}
    </>
  )
}

/**
 * A problem that a request shows. A click jumps to the next request that shows it. A row can't contain buttons, so the opened
 * request has a link that does the same.
 */
function ProblemChip({
  problem,
  id,
  onChoose,
}: Pick<RowProps, 'onChoose'> & { problem: Finding; id: number }) {
  const next = findNext(problem, id)
  const jump = (event: Event) => {
    if (next === undefined) return
    event.stopPropagation()
    onChoose(next)
  }
  return (
    <span class={`alarm ${getSeverityTone(problem)}`} title={problem.message} onClick={jump}>
      {getLabel(problem)}
      {next !== undefined && <small> ⇄ #{next}</small>}
    </span>
  )
}

/** Keeps the visible rows in place when new entries arrive above them. */
function useStableScroll(
  box: { current: HTMLDivElement | null },
  entries: readonly JournalEntry[],
  rowHeight: number,
): void {
  const newest = useRef(entries[0])
  useLayoutEffect(() => {
    const old = newest.current
    newest.current = entries[0]
    const element = box.current
    if (!element || !old || element.scrollTop === 0) return
    const added = entries.indexOf(old)
    if (added > 0) element.scrollTop += added * rowHeight
  }, [box, entries, rowHeight])
}
