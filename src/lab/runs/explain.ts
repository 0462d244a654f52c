import { groupBy } from '../../lib/groups.ts'
import {
  assignedIds,
  findingRules,
  getEntry,
  orderLookups,
  type Finding,
  type JournalRecord,
} from '../simulator.ts'
import { idField, renderEffects, renderReplacement, type Effect } from './ClientChanges.ts'
import type { Differences } from './endState.ts'
import { maxRefusals, type TracedCall } from './Injector.ts'
import type { CommandResult } from './runCommand.ts'
import { formatSeconds, getArrival } from './shown.ts'
import { explainingFindings } from './problems.ts'
import { describeVerdict, isRed, type Verdict } from './verdict.ts'

/** The evidence of a verdict, to be shown. */
export interface Basis {
  verdict: Verdict
  /** Findings that the runs without faults don't have */
  findings: readonly Finding[]
  /** How the last run differs from the runs without faults */
  differences: Differences
  calls: readonly TracedCall[]
  /** The last run, and its number */
  last: Pick<CommandResult, 'exitCode' | 'timedOut' | 'durationMs'>
  run: number
  /** Names of the files that the run before it left in its folder */
  filesLeft?: readonly string[]
}

export interface Explanation {
  /** The lines that explain a red verdict: sentences of findings, or lines of the difference */
  why: readonly string[]
  /** How to fix it, in a sentence */
  advice: string | null
}

/** Explains a red verdict by its evidence. */
export function explain(basis: Basis): Explanation {
  const { verdict, findings } = basis
  if (!isRed(verdict)) return { why: [], advice: null }
  const explaining = explainingFindings(verdict, findings)
  const why =
    explaining.length > 0
      ? explaining.map(({ message }) => message)
      : verdict === 'stuck'
        ? [describeStuck(basis)]
        : renderDifferences(basis.differences)
  return { why, advice: adviceFor(basis, explaining[0]) }
}

/**
 * The calls that explain a verdict, by the id of the request: of each finding that isn't harmless, the one after the first, if it takes
 * two; without a finding, those that added records which the usual run doesn't have.
 */
export function wrongCalls({ verdict, findings, differences, calls }: Basis): Map<number, string> {
  const found = findings.flatMap(({ finding, severity, requests: [first, second] }) => {
    const wrong = second ?? first
    return wrong && severity !== 'low' ? [[wrong.id, finding] as const] : []
  })
  if (verdict !== 'ordered-twice' || found.some(([, name]) => name === verdict)) return new Map(found)
  const ids = new Set(differences.added.flatMap(({ isNew, id }) => (isNew && id !== undefined ? id : [])))
  const adding = calls.flatMap(({ record }) => {
    const { before, change } = record ?? {}
    const isAdding = before && change && assignedIds(before, change).some((id) => ids.has(id))
    return record && isAdding ? [[record.id, verdict] as const] : []
  })
  return new Map([...found, ...adding])
}

const maxLines = 8

/** Renders each missing and added effect as a line, and a field that has another value as one line. */
function renderDifferences({ missing, added }: Differences): string[] {
  const lines = groupBy([...missing, ...added], ({ subject, fields }) => [
    subject,
    fields.map(([name]) => name),
  ]).flatMap((group) => {
    const [lost, gained] = [missing, added].map((some) => group.filter((one) => some.includes(one))) as [
      Effect[],
      Effect[],
    ]
    const [one, other] = [lost[0], gained[0]]
    if (group.length === 2 && one && other && !one.isNew) return renderReplacement(one, other)
    return [
      ...renderEffects(lost).map((line) => `missing: ${line}`),
      ...renderEffects(gained).map((line) => `added: ${line}`),
    ]
  })
  return lines.length > maxLines
    ? [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more`]
    : lines
}

function describeStuck({ calls, last, run, filesLeft = [] }: Basis): string {
  const own = calls.filter((one) => one.run === run)
  const who = run > 1 ? `Run ${run}` : 'The program'
  const records = own.flatMap(({ record }) => record ?? [])
  const [first, latest] = [records[0], records.at(-1)]
  const sentRequest = latest && `${getEntry(latest).method} ${getEntry(latest).path}`
  const refusals = countRefusals(records)
  if (last.timedOut && refusals >= maxRefusals) {
    const { status, case: name } = latest as JournalRecord
    return `${who} sent ${sentRequest} ${refusals} times, although it was refused with ${status} (${name}) each time.`
  }
  if (last.timedOut) {
    const limit = `${who} did not end within ${formatSeconds(last.durationMs)}`
    if (!first || !latest) return `${limit}, and sent no request.`
    const passed = formatSeconds(getArrival(latest) - getArrival(first))
    return `${limit}. Its last request, ${sentRequest}, came ${passed} after its first. If it is right to wait longer, use --timeout.`
  }
  const failed = `${who} exited with ${last.exitCode}`
  if (own.length > 0) {
    const refused = records.findLast(({ status }) => status === null || status >= 400)
    return refused
      ? `${failed}, after ${getEntry(refused).path} gave ${refused.case ?? refused.status}.`
      : `${failed}.`
  }
  const files = filesLeft.length > 0 ? `; these files were left in its folder: ${filesLeft.join(', ')}` : ''
  return `${failed}, and sent no request${files}.`
}

/** How often a run sent its last request, and got the same response. */
function countRefusals(records: readonly JournalRecord[]): number {
  const last = records.at(-1)
  return records.filter(
    (one) =>
      one.path === last?.path && one.method === last.method && one.case !== null && one.case === last.case,
  ).length
}

function adviceFor({ verdict, calls, differences, run }: Basis, finding: Finding | undefined): string | null {
  const changes = [...differences.missing, ...differences.added]
  const wasStale = calls.some(({ fault }) => fault?.onlyReads)
  if (wasStale && (verdict === 'ordered-twice' || verdict === 'wrong-result')) return staleAdvice
  if (finding && hasLookedBetween(finding, calls)) return unrecognizedAdvice
  if (finding) return findingRules[finding.finding].advice
  if (verdict === 'wrong-result') {
    if (changes.some(({ fields }) => fields.some(([name]) => name === idField))) return sharedIdAdvice
    const files = new Set(changes.map(({ subject }) => subject))
    const [file = ''] = files
    if (files.size === 1 && differences.missing.length === 0 && file.startsWith('file '))
      return `A second line or value for the same order books it twice: look for it before you write. If the file is meant to grow with each attempt, leave it out: --ignore '${file.replace('file ', '').replace('…', '*')}'.`
    if ([...files].every((name) => name.startsWith('file '))) return fileAdvice
  }
  if (verdict === 'stuck' && run > 1 && calls.every((one) => one.run !== run)) return lockAdvice
  return describeVerdict(verdict).advice
}

/** Whether the program looked for its order between the two requests that placed it twice. */
function hasLookedBetween({ finding, requests }: Finding, calls: readonly TracedCall[]): boolean {
  const [first = -1, second = -1] = requests.map(({ id }) => calls.findIndex((one) => one.record?.id === id))
  const between = calls.slice(first + 1, Math.max(second, 0))
  return (
    finding === 'ordered-twice' &&
    between.some(({ operation, record }) => orderLookups.includes(operation) && record?.status === 200)
  )
}

const unrecognizedAdvice =
  'The program looked for the order, and did not recognize it: compare what is there with what was there just before this order.'

const staleAdvice =
  "A list may lag behind the latest change: look again after a while before you conclude that something isn't there."

const sharedIdAdvice =
  'When you look for a lost order, leave out the ids that other orders have already, or two records share one.'

const fileAdvice =
  'The account is right, but a file differs: check the content of each response, and what the program writes after a failure.'

const lockAdvice = 'Use a lock that the next run can take over if its owner has ended.'
