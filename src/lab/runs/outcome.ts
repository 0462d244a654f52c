import {
  countOf,
  createdRecords,
  describeDifferences,
  describeOrdering,
  type Finding,
  findingRules,
  getEntry,
  idField,
  type JournalRecord,
  type WorldChange,
} from '../simulator.ts'
import type { Differences } from './endState.ts'
import type { TracedCall } from './Injector.ts'
import type { CommandResult } from './runCommand.ts'
import { formatSeconds, getArrival, showCalls, type ShownLine } from './shown.ts'
import { isOrphaning, verdicts, type Verdict } from './verdict.ts'

/*
 * What happened in a run, in the reader's words: a headline and advice. `shown.ts` lists the requests.
 */

type EndOfRun = Pick<CommandResult, 'exitCode' | 'timedOut'>
type TimedRun = EndOfRun & Pick<CommandResult, 'durationMs'>

/** The facts that a verdict rests on. */
export interface Outcome {
  verdict: Verdict
  findings: readonly Finding[]
  /** The findings about orders that no response of any run showed */
  unseen: readonly Finding[]
  calls: readonly TracedCall[]
  first: TimedRun
  /** The last of several runs */
  last?: TimedRun | undefined
  /** How the last run differs from the runs without faults; undefined if it isn't judged */
  differences?: Differences | undefined
  /** Number of new records of all runs, and that of one run without faults, by noun */
  additions?: { got: ReadonlyMap<string, number>; expected: ReadonlyMap<string, number> } | undefined
}

/** A run in the reader's words. */
export interface Description {
  /** The result in one line */
  headline: string
  /** Further facts, in a sentence each */
  remarks: string[]
  /** How to fix what a bad verdict reveals, in a sentence */
  advice: string | null
  /** For a bad verdict: the requests in the order in which they were sent, with the faults, kills and ends of runs */
  shown: ShownLine[]
}

/**
 * Further facts about a run: the findings that the headline doesn't name, orders that no response showed, and orders that a response
 * showed although the program then reported a failure.
 */
function listRemarks(outcome: Outcome, headline: string): string[] {
  const { verdict, findings, unseen } = outcome
  const isNamed = ({ finding }: Finding): boolean => {
    const { addsRecords, leavesOrphans } = findingRules[finding]
    return leavesOrphans === true || (addsRecords === true && (verdict === 'harm' || verdict === 'doubled'))
  }
  const remarks = findings.filter((one) => !isNamed(one)).map(({ message }) => message)
  const orders =
    verdict === 'orphaned' ? [] : unseen.flatMap((one) => listChanges(outcome, one).flatMap(createdRecords))
  if (orders.length > 0) remarks.push(`No response showed ${orders.join(', ')} to the program.`)
  return [...new Set([...remarks, ...listShownOrders(outcome)])].filter((remark) => remark !== `${headline}.`)
}

/** Orders whose response was lost, that a later response showed, and that the program then reported as failed. */
function listShownOrders({ calls, first }: Outcome): string[] {
  const own = calls.filter(({ run }) => run === 1)
  if (first.exitCode === 0 || first.timedOut || own.some(({ fault }) => fault?.killsClient)) return []
  return own.flatMap(({ record }, i) => {
    const created = record?.isUndelivered ? createdRecords(record.change ?? {}) : []
    const ids = created.map((name) => name.replace(/\D+/, ''))
    const shown = own
      .slice(i + 1)
      .find((one) => one.record && ids.some((id) => shows(one.record as JournalRecord, id)))
    // A later failure explains the exit code.
    const isExplained = own.slice(shown ? own.indexOf(shown) + 1 : 0).some(hasFailed)
    if (!shown?.record || isExplained) return []
    const { method, path } = getEntry(shown.record)
    const names = created.filter((name) => shows(shown.record as JournalRecord, name.replace(/\D+/, '')))
    return [`${method} ${path} showed ${names.join(', ')}, but the program then reported a failure.`]
  })
}

/** Milliseconds that a call must last after another one arrived to count as under way at the same time */
const minOverlap = 50

/** Says that a bad verdict depends on timing, so that the command that repeats the run may pass. */
function listTimingRemarks({ calls }: Outcome, isTogether: boolean): string[] {
  if (isTogether) return ['It depends on which run is faster, so a repetition may pass.']
  const parallel = calls.find(
    ({ fault, record: held, operation, run }) =>
      fault &&
      held &&
      !held.isAbandoned &&
      calls.some(
        ({ record, ...other }) =>
          record &&
          record !== held &&
          other.operation === operation &&
          other.run === run &&
          getArrival(record) >= getArrival(held) &&
          getArrival(record) < held.at - minOverlap,
      ),
  )
  return parallel
    ? [
        `Several calls of ${parallel.operation} were under way at once: if they arrive in another order, a repetition may pass.`,
      ]
    : []
}

function hasFailed({ fault, record }: TracedCall): boolean {
  return fault !== undefined || !record || !isSuccess(record)
}

function shows({ status, isUndelivered, responseBody = '' }: JournalRecord, id: string): boolean {
  return status === 200 && !isUndelivered && responseBody.split(/\D+/).includes(id)
}

/** Describes a run, for the terminal, Markdown, JUnit and the dashboard alike. @param runs all runs of the command */
export function describeRun(outcome: Outcome, runs: readonly EndOfRun[], isTogether = false): Description {
  const isBad = verdicts[outcome.verdict] === 'bad'
  const headline = describeHeadline(outcome, runs.length)
  return {
    headline,
    remarks: [
      ...(outcome.verdict === 'not triggered' ? [] : listRemarks(outcome, headline)),
      ...(isBad ? listTimingRemarks(outcome, isTogether) : []),
    ],
    advice: adviceFor(outcome) ?? null,
    shown: isBad ? showCalls(outcome.calls, runs, isTogether) : [],
  }
}

/** Says in one line what happened. @param count number of runs of the command */
function describeHeadline(outcome: Outcome, count: number): string {
  const { verdict, first, last, findings } = outcome
  if (verdict === 'harm') return describeHarm(outcome)
  if (verdict === 'doubled') return `The rerun ordered again${describeAdditions(outcome)}`
  if (verdict === 'raced')
    return `Two runs at the same time had a different result than two in turn: ${describeDifference(outcome)}`
  if (verdict === 'orphaned') {
    const changes = findings.filter(isOrphaning).flatMap((one) => listChanges(outcome, one))
    const ordering = describeOrdering(changes).replace(/^o/, 'O')
    return `${ordering}, and nobody knows: ${changes.flatMap(createdRecords).join(', ')}`
  }
  if (verdict === 'swallowed' || verdict === 'changed')
    return `The program reported success, but ${describeDifference(outcome)}`
  const lastRun = `The ${ordinals[count]}run`
  if (verdict === 'diverged') return `${lastRun} reported success, but ${describeDifference(outcome)}`
  if (verdict === 'recovered') return `${lastRun} reached the result of one run without faults`
  if (verdict === 'stuck' && last?.timedOut)
    return `${lastRun} didn't end within ${formatSeconds(last.durationMs)}${describeLastRequest(outcome, count)}`
  if (verdict === 'stuck') return `${lastRun} failed too${describeRefusal(outcome, count)}`
  if (verdict === 'fails' && !first.timedOut) return `The program exited with ${first.exitCode}`
  if (verdict === 'hang' || verdict === 'fails')
    return `The program didn't end within ${formatSeconds(first.durationMs)}${describeLastRequest(outcome, 1)}`
  return headlines[verdict]
}

const headlines = {
  noticed: 'The program exited with an error',
  survived: 'The program reported success, and the result is right',
  survives: 'The program exited with 0, and made the same changes',
  'not triggered': "The call wasn't made, so there is no result",
  'not exercised': 'All responses would have been the same',
}

/** Says in one sentence how to fix what a bad verdict reveals; undefined for other verdicts. */
function adviceFor({ verdict, findings, unseen, calls, last, differences }: Outcome): string | undefined {
  if (verdict === 'harm') return firstSentence(findingRules[worstFinding(findings).finding].advice)
  if (verdict === 'orphaned') {
    const orphaning = findings.find(isOrphaning)
    return orphaning && firstSentence(findingRules[orphaning.finding].advice)
  }
  const wasStale = calls.some(({ fault }) => fault?.onlyReads)
  if (wasStale && (verdict === 'swallowed' || verdict === 'doubled')) return staleAdvice
  const isOfResult = verdict === 'swallowed' || verdict === 'diverged'
  if (isOfResult && differences?.missing.some(namesFewerIds)) return sharedIdAdvice
  if (isOfResult && differences && isOnlyInFiles(differences) && unseen.length === 0) return fileAdvice
  if (verdict === 'stuck' && last?.timedOut) return advice.hang
  return advice[verdict]
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z])/)[0] ?? text
}

const staleAdvice =
  "A list may lag behind the latest change: look again after a while before you conclude that something isn't there."

const sharedIdAdvice =
  'Another record is in no file: when you look for a lost order, leave out the ids that other orders have already.'

function namesFewerIds({ fields }: Differences['missing'][number]): boolean {
  return fields.some(([name]) => name === idField)
}

const fileAdvice =
  'The account is right, but a file differs: check the status and the content of each response, and what the program writes after a failure. If such values are meant to differ, accept the cell with --accept.'

function isOnlyInFiles({ missing, added }: Differences): boolean {
  return missing.length > 0 && [...missing, ...added].every(({ subject }) => subject.startsWith('file '))
}

const interpretationAdvice =
  'The documentation leaves this open: make the program accept both, or ask the provider (proxysim questions).'

const advice: Readonly<Partial<Record<Verdict, string>>> = {
  doubled:
    'Before each order, save what is about to be ordered, for example in a database, and look for it on the next start before ordering again.',
  raced:
    'Let only one run work at a time: use a lock that the next run can take over if its owner was killed.',
  swallowed:
    'Check the status and the content of each response, and exit with an error if something was not done.',
  diverged: 'On each start, compare what exists with what should exist, and do what is missing.',
  stuck:
    'On each start, assume that an earlier run did some of the work: look for it, and continue from there.',
  changed: interpretationAdvice,
  fails: interpretationAdvice,
  hang: 'Give each request a timeout, and give up after a few attempts; if the program is right to wait longer, allow it with --timeout.',
}

function worstFinding(findings: readonly Finding[]): Finding {
  return findings.find((one) => !isOrphaning(one) && one.severity !== 'low') ?? (findings[0] as Finding)
}

const ordinals = ['', 'first ', 'second ', 'third ', 'fourth ', 'fifth ']

function describeHarm(outcome: Outcome): string {
  const { findings, calls } = outcome
  const worst = worstFinding(findings)
  const { addsRecords } = findingRules[worst.finding]
  if (!addsRecords) return worst.message.replace(/\.$/, '')
  if (countTooMany(outcome) >= worst.requests.length)
    return `Orders were placed again${describeAdditions(outcome)}`
  const [first] = worst.requests
  const call = calls.find(({ record }) => record?.id === first?.id)
  const orders = calls.filter(({ operation, run }) => operation === call?.operation && run === call.run)
  const times = worst.requests.length === 2 ? 'twice' : `${worst.requests.length} times`
  if (!call || (call.number === 1 && orders.length === worst.requests.length))
    return `The order was placed ${times}`
  // An attempt that failed may have been for the same order or for another one.
  const isCertain = orders.every(
    ({ number, fault, record }) => number >= call.number || (!fault && record && isSuccess(record)),
  )
  const which = isCertain ? `The ${ordinals[call.number] ?? `${call.number}th `}` : 'An '
  return `${which}order was placed ${times}`
}

/** How many records of a kind a run added more than usual, at most. */
function countTooMany({ additions }: Outcome): number {
  const { got = [], expected } = additions ?? {}
  return Math.max(0, ...[...got].map(([noun, count]) => count - (expected?.get(noun) ?? 0)))
}

/** `: two services, two invoices instead of one each` */
function describeAdditions({ additions }: Outcome): string {
  if (!additions) return ''
  const { got, expected } = additions
  const more = [...got].filter(([noun, count]) => count > (expected.get(noun) ?? 0))
  if (more.length === 0) return ''
  const [wanted, ...others] = new Set(more.map(([noun]) => expected.get(noun) ?? 0))
  const instead = wanted && others.length === 0 ? ` instead of ${countOf(wanted, '')}` : ''
  return `: ${more.map(([noun, count]) => countOf(count, noun)).join(', ')}${instead}`
}

const maxClauses = 3

function describeDifference({ differences }: Outcome): string {
  const clauses = differences ? describeDifferences(differences) : []
  const more = clauses.length > maxClauses ? `, and ${clauses.length - maxClauses} more` : ''
  return clauses.length === 0 ? 'the result differs' : clauses.slice(0, maxClauses).join(', ') + more
}

/** The changes by the requests of a finding. */
function listChanges({ calls }: Outcome, { requests }: Finding): WorldChange[] {
  const ids = requests.map(({ id }) => id)
  return calls.flatMap(({ record }) => (record?.change && ids.includes(record.id) ? [record.change] : []))
}

/** `: POST /api/product/101 was refused with 422 (ip-already-bound)`. @param run the run, from 1 */
function describeRefusal({ calls, last }: Outcome, run: number): string {
  const refused = calls.findLast(
    ({ run: number, record }) => number === run && record && !isSuccess(record),
  )?.record
  if (refused && refused.status !== null) {
    const { method, path, status } = getEntry(refused)
    const name = refused.case === null ? '' : ` (${refused.case})`
    return `: ${method} ${path} was refused with ${status}${name}`
  }
  const hasCalled = calls.some((one) => one.run === run)
  return ` (exit code ${last?.exitCode})${hasCalled ? '' : ', and sent no request'}`
}

function isSuccess({ status }: JournalRecord): boolean {
  return status !== null && status < 400
}

/** `; its last request, GET /api/services, came 0.3 s after the first`. @param number the run, from 1 */
function describeLastRequest({ calls }: Outcome, number: number): string {
  const own = calls.filter(({ run }) => run === number)
  const records = own.flatMap(({ record }) => record ?? [])
  const [first, last] = [records[0], records.at(-1)]
  if (!first || !last) return own.length > 0 ? ' and got no response' : ' and sent no request'
  const { method, path } = getEntry(last)
  const passed = getArrival(last) - getArrival(first)
  return `; its last request, ${method} ${path}, came ${formatSeconds(passed)} after the first`
}
