import type { JournalEntry } from '../../contract/shapes.ts'
import type { Mark } from '../../report/Report.ts'
import { describeChange, getEntry, type JournalRecord } from '../simulator.ts'
import type { TracedCall } from './Injector.ts'
import type { CommandResult } from './runCommand.ts'

/*
 * The requests of a run in the order in which they were sent, with the faults, kills and ends of runs where they happened.
 */

type ShownRun = Pick<CommandResult, 'exitCode' | 'timedOut'>

/** A line in words. That of a request also has the fields of its journal entry. */
export interface ShownLine extends Partial<JournalEntry> {
  text: string
  mark: Mark | null
}

/** Maximum number of lines; in between, requests are left out. */
const maxLines = 40

/** Number of requests before and after an important one that are shown */
const context = 1

/** The marks that a list of requests shows beside them. */
interface Shown {
  /** The runs in turn, or at the same time */
  runs: readonly ShownRun[]
  isTogether?: boolean
  /** The verdict or finding of the calls that are wrong, by the id of the request */
  wrong?: ReadonlyMap<number, string>
}

/** Lists requests in the order in which they were sent, with the faults, the wrong calls, kills and ends of runs. */
export function showCalls(
  calls: readonly TracedCall[],
  { runs, isTogether = false, wrong = new Map() }: Shown,
): ShownLine[] {
  const numbers = new Map(calls.map((call, i) => [call, i + 1]))
  const accounts = new Set(calls.map(({ record }) => record?.account))
  const labelOf = ({ record, worker = 1 }: TracedCall): string => {
    const run = isTogether ? `run ${worker}` : ''
    const label = [run, accounts.size > 1 ? (record?.origin?.label ?? record?.account) : '']
      .filter(Boolean)
      .join(', ')
    return label && `[${label}] `
  }
  return runs.flatMap((run, i) => {
    const own = isTogether ? (i === 0 ? calls : []) : calls.filter((one) => one.run === i + 1)
    const isStopped = isTogether ? runs.some(({ timedOut }) => timedOut) : run.timedOut
    const killed = isStopped || own.some(({ fault }) => fault?.killsClient) ? own : []
    const described = own.map((call) => ({
      ...describeCall(call, labelOf(call), killed, wrong),
      number: numbers.get(call) ?? 0,
    }))
    return [
      ...(!isTogether && i > 0 ? [{ text: `Run ${i + 1}`, mark: 'note' as const }] : []),
      ...shorten(foldEqual(described)),
      describeEnd(run, isTogether || i > 0 ? `Run ${i + 1}` : 'The program', own),
    ]
  })
}

/** A request, or several equal ones in a row. */
interface NumberedLine extends ShownLine {
  number: number
  count: number
}

function foldEqual(lines: readonly Omit<NumberedLine, 'count'>[]): NumberedLine[] {
  const folded: NumberedLine[] = []
  for (const line of lines) {
    const last = folded.at(-1)
    if (last?.text === line.text) last.count++
    else folded.push({ ...line, count: 1 })
  }
  return folded
}

/** Leaves out requests that say nothing: reads that succeeded, far from a fault or change. */
function shorten(lines: readonly NumberedLine[]): ShownLine[] {
  const isImportant = ({ mark, change }: NumberedLine, i: number): boolean =>
    mark !== null || (change !== undefined && change !== null) || i === 0 || i === lines.length - 1
  const important = lines.flatMap((line, i) => (isImportant(line, i) ? [i] : []))
  // In very long runs, the first faults and the end matter most.
  const isLong = important.length > maxLines
  const kept = isLong ? [...important.slice(0, maxLines / 2), ...important.slice(-maxLines / 2)] : important
  const isNear = (i: number): boolean => kept.some((one) => Math.abs(one - i) <= (isLong ? 0 : context))
  const shown: ShownLine[] = []
  let omitted = 0
  for (const [i, { number, count, ...line }] of lines.entries()) {
    if (!isNear(i)) omitted += count
    else {
      if (omitted > 0) shown.push({ text: `    … ${omitted} more`, mark: 'none' })
      omitted = 0
      const times = count > 1 ? `  × ${count}` : ''
      shown.push({ ...line, text: `${String(number).padStart(2)}. ${line.text}${times}` })
    }
  }
  return shown
}

function describeEnd({ exitCode, timedOut }: ShownRun, who: string, calls: readonly TracedCall[]): ShownLine {
  const killing = calls.find(({ fault, record }) => fault?.killsClient && record)?.record
  if (killing)
    return {
      text: `    Killed by this sweep, after ${requestText(getEntry(killing))} was carried out`,
      mark: 'bad',
    }
  if (timedOut) return { text: `    ${who} didn't end, and was stopped`, mark: 'bad' }
  return { text: `    ${who} exited with ${exitCode}`, mark: exitCode === 0 ? null : 'note' }
}

/**
 * `POST /api/product/101 {"clientid":11} → no response, carried out: + service 5104  ← lost`
 * @param killed all calls of the run, if we killed the program
 */
function describeCall(
  { record, fault, operation }: TracedCall,
  label: string,
  killed: readonly TracedCall[],
  wrong: ReadonlyMap<number, string>,
): ShownLine {
  if (!record) return { text: `${label}${operation}: not answered, because the run had ended`, mark: 'note' }
  const entry = getEntry(record)
  const { change, before } = entry
  const result = fault?.killsClient ? 'no response' : describeResponse(record, fault, killed)
  const changes = describeChange(change, before).filter((line) => !line.startsWith('credit:'))
  const executed = describeExecution(record, fault)
  const details = changes.length > 0 ? `${executed}: ${changes.join(', ')}` : executed
  const names = [fault?.name, wrong.get(record.id)].filter((name) => name !== undefined)
  const text = `${label}${requestText(entry, maxBody)} → ${result}, ${details}${names.length > 0 ? `  ← ${names.join(', ')}` : ''}`
  const isOk = record.status !== null && record.status < 400
  return { text, mark: names.length > 0 ? 'bad' : isOk ? null : 'note', ...entry }
}

function describeResponse(
  record: JournalRecord,
  fault: TracedCall['fault'],
  killed: readonly TracedCall[],
): string {
  const { status, isAbandoned, isUndelivered, durationMs, forced } = record
  if (isAbandoned) {
    // A program that sends another request has given up by itself.
    const isAlive = killed.some((one) => one.record && getArrival(one.record) > record.at)
    const isKilled = killed.length > 0 && !isAlive
    const what = isKilled ? 'proxysim killed the program' : 'the program gave up'
    return `no response; ${what} after ${formatSeconds(durationMs)}`
  }
  if (status === null) return 'no response'
  if (forced && fault?.fault.drop === 'truncate') return `${status}, cut off halfway`
  if (isUndelivered && !forced) return `${status}, which never arrived`
  return record.case === null ? String(status) : `${status} ${record.case}`
}

/** When a request arrived, in real time. */
export function getArrival({ at, durationMs }: JournalRecord): number {
  return at - durationMs
}

export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** Says whether an operation was carried out, whatever response the client got. */
function describeExecution({ change, forced, status }: JournalRecord, fault: TracedCall['fault']): string {
  const isAfter = forced && fault?.fault.phase === 'after'
  // The call itself may have been refused.
  if (isAfter && fault.onlyWrites && change === undefined) return 'nothing changed'
  const isSuccess = !forced && status !== null && status < 400
  return change !== undefined || isAfter || isSuccess ? 'carried out' : 'not carried out'
}

const maxBody = 80

/** `POST /api/product/101 {"clientid":11}`, without secrets */
export function requestText({ method, path, request }: JournalEntry, maxLength = Infinity): string {
  if (request.body === null) return `${method} ${path}`
  const body = JSON.stringify(request.body)
  return `${method} ${path} ${body.length > maxLength ? `${body.slice(0, maxLength)}…` : body}`
}
