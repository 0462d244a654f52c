import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { hasNoEffect } from '../../../src/service/describeChange.ts'
import { describeEntryChange } from '../lib/describeChange.ts'
import { splitReason } from '../lib/faults.ts'
import { formatDateTime, pluralize } from '../lib/format.ts'
import { findProblems, getLabel, getSeverityTone, getWorstTone, isWrongCall } from '../lib/problems.ts'
import type { Finding, JournalEntry } from '../lib/types.ts'
import { Status, getTone } from '../parts/small.tsx'
import { getNextRow, reveal, useNarrow, useWindow } from '../parts/useWindow.ts'
import { readRoute } from '../state/route.ts'
import { getAccountName, useApp } from '../state/store.ts'
import { breaksContract } from './filterEntries.ts'

interface Props {
  entries: readonly JournalEntry[]
  /** Whether the requests of an account follow each other, below its name */
  isGrouped: boolean
  chosen: JournalEntry | undefined
  onChoose: (id: number) => void
}

/** Stands above the requests of an account. */
interface Heading {
  account: string | null
  count: number
}

/** The journal, newest first. Only visible rows are rendered. Arrow keys move the selection. */
export function EntryList({ entries: all, isGrouped, chosen, onChoose }: Props) {
  const hasAccounts = useApp((state) => state.account === undefined && state.accounts.length > 1)
  const findings = useApp((state) => state.findings)
  const rowHeight = useNarrow() ? 64 : 36
  const rows = useMemo(() => (isGrouped ? groupByAccount(all) : all), [all, isGrouped])
  const entries = isGrouped ? rows.filter(isEntry) : all
  const { box, first, end } = useWindow(rows.length, rowHeight)
  const index = chosen ? rows.indexOf(chosen) : -1
  useStableScroll(box, rows, rowHeight)
  useLayoutEffect(() => reveal(box.current, index, rowHeight), [chosen?.id, index >= 0, rowHeight])

  const move = (event: KeyboardEvent) => {
    // The address has the latest choice, even if the page hasn't been rendered since.
    const current = entries.findIndex(({ id }) => String(id) === readRoute().subpath)
    const to = getNextRow(event.key, current, entries.length)
    if (to === undefined) return
    event.preventDefault()
    onChoose((entries[to] as JournalEntry).id)
  }

  return (
    <div
      class={`entries ${hasAccounts && !isGrouped ? 'has-accounts' : ''}`}
      role="listbox"
      aria-label="Requests, newest first"
      aria-activedescendant={index >= first && index < end ? `entry-${chosen?.id}` : undefined}
      tabindex={0}
      ref={box}
      onKeyDown={move}
    >
      <div class="entries-body" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, i) => {
          const style = { top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }
          if (!isEntry(row)) return <GroupHeading key={`account ${row.account}`} {...{ ...row, style }} />
          const tagged = findProblems(findings, row.id).filter((one) => isTagged(one, row.id))
          const alarm = tagged.length > 0 ? `is-problem ${getWorstTone(tagged)}` : ''
          return (
            <div
              id={`entry-${row.id}`}
              key={row.id}
              class={`entry ${alarm || getTone(row.status)} ${row.rewound ? 'is-rewound' : ''}`}
              role="option"
              aria-selected={row === chosen}
              aria-posinset={entries.indexOf(row) + 1}
              aria-setsize={entries.length}
              style={style}
              onClick={() => onChoose(row.id)}
            >
              <EntryRow entry={row} tagged={tagged} hasAccount={hasAccounts && !isGrouped} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function isEntry(row: JournalEntry | Heading): row is JournalEntry {
  return 'id' in row
}

/** The requests of each account below its name. The account of the newest request comes first. */
function groupByAccount(entries: readonly JournalEntry[]): (JournalEntry | Heading)[] {
  const groups = Map.groupBy(entries, ({ account }) => account)
  return [...groups].flatMap(([account, members]) => [{ account, count: members.length }, ...members])
}

function GroupHeading({ account, count, style }: Heading & { style: Record<string, string> }) {
  const accounts = useApp((state) => state.accounts)
  return (
    <div class="entry-group" role="presentation" style={style}>
      <b>{account === null ? 'Unknown login' : getAccountName(accounts, account)}</b>
      <small>{pluralize(count, 'request')}</small>
    </div>
  )
}

/** Mistakes of low severity usually show in every request. */
function isTagged(finding: Finding, id: number): boolean {
  return finding.severity !== 'low' && isWrongCall(finding, id)
}

interface RowProps {
  entry: JournalEntry
  tagged: readonly Finding[]
  hasAccount: boolean
}

/** A row of the journal: the request, its status, and what happened. */
function EntryRow({ entry, tagged, hasAccount }: RowProps) {
  const { time, method, path, status, account, forced, rewound } = entry
  const accounts = useApp((state) => state.accounts)
  const dateTime = formatDateTime(Date.parse(time))
  const [fault] = splitReason(entry.reason ?? '')
  const text = describeOutcome(entry, tagged)
  return (
    <>
      <span class="entry-id figures">#{entry.id}</span>
      <span
        class="entry-time figures"
        title={`${dateTime} UTC on the account’s clock; really ${entry.response.headers['date']}`}
      >
        {dateTime.slice(-8)}
      </span>
      <Status status={status} />
      <span class="entry-path" title={path}>
        <b>{method}</b> {path}
      </span>
      <span class="entry-outcome" title={text}>
        {tagged.map((finding) => (
          <span key={finding.finding} class={`alarm ${getSeverityTone(finding)}`} title={finding.message}>
            {getLabel(finding)}
          </span>
        ))}
        {breaksContract(entry) && <span class="mark tone-bad">violation</span>}
        {rewound && <span class="mark">rewound</span>}
        {forced && <span class="mark">{fault}</span>}
        <span class="entry-text">{text}</span>
      </span>
      {hasAccount && (
        <span class="entry-account">{account === null ? '–' : getAccountName(accounts, account)}</span>
      )}
    </>
  )
}

/** The effect of a request, on one line: the reason, then the changes; of a read, its operation. */
function describeOutcome(entry: JournalEntry, tagged: readonly Finding[]): string {
  const changes = describeEntryChange(entry).join(', ')
  const reason = entry.reason ?? entry.case ?? ''
  const [, effect] = splitReason(reason)
  // A change already shows that the operation was executed.
  const shown = changes ? effect.replace(', after the operation has been executed', '') : effect
  const ignored = tagged.flatMap(({ message }) => /was sent ("[^"]*")/.exec(message)?.[1] ?? [])
  const parts = [
    entry.forced ? shown : reason,
    ignored.length > 0 && `${ignored.join(', ')} ignored`,
    hasNoEffect(entry) ? 'nothing changed' : changes,
  ]
  return parts.filter(Boolean).join(' · ') || (entry.operation ?? '')
}

/** Keeps the visible rows in place when new entries arrive above them. */
function useStableScroll(
  box: { current: HTMLDivElement | null },
  rows: readonly unknown[],
  rowHeight: number,
): void {
  const newest = useRef(rows[0])
  useLayoutEffect(() => {
    const added = rows.indexOf(newest.current)
    newest.current = rows[0]
    if (box.current && box.current.scrollTop > 0 && added > 0) box.current.scrollTop += added * rowHeight
  }, [box, rows, rowHeight])
}
