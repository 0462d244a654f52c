import type { JournalEntry } from '../../contract/shapes.ts'
import type { Mark } from '../../report/Report.ts'
import { addsRecords, describeChange, getEntry, type JournalRecord } from '../simulator.ts'
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

/** Lists requests. @param runs the runs in turn; or, with `isTogether`, those at the same time */
export function showCalls(
  calls: readonly TracedCall[],
  runs: readonly ShownRun[],
  isTogether = false,
): ShownLine[] {
  const hosts = [...new Set(calls.map(({ record }) => record?.requestHeaders['host']))]
  const lines: ShownLine[] = []
  for (const [i, run] of runs.entries()) {
    const isStopped = isTogether ? runs.some(({ timedOut }) => timedOut) : run.timedOut
    const own = isTogether ? (i === 0 ? calls : []) : calls.filter((one) => one.run === i + 1)
    if (!isTogether && i > 0) lines.push({ text: `${ordinal(i)} run`, mark: 'note' })
    lines.push(
      ...shorten(own).map((call) =>
        typeof call === 'number'
          ? { text: `   … ${call} more`, mark: 'none' as const }
          : describeCall(
              call,
              calls.indexOf(call) + 1,
              isTogether ? hosts.indexOf(call.record?.requestHeaders['host']) + 1 : 0,
              isStopped || own.some(({ fault }) => fault?.killsClient) ? own : [],
            ),
      ),
    )
    lines.push(
      describeEnd(
        run,
        isTogether ? `Run ${i + 1}` : i === 0 ? 'The program' : `The ${ordinal(i).toLowerCase()} run`,
        own,
      ),
    )
  }
  return lines
}

function ordinal(index: number): string {
  return ['First', 'Second', 'Third', 'Fourth'][index] ?? `${index + 1}th`
}

function describeEnd({ exitCode, timedOut }: ShownRun, who: string, calls: readonly TracedCall[]): ShownLine {
  const killing = calls.find(({ fault, record }) => fault?.killsClient && record)?.record
  if (killing) {
    const { method, path, before } = getEntry(killing)
    const what = addsRecords(before) ? 'the order' : `${method} ${path}`
    return { text: `   Killed by this sweep, after ${what} was executed`, mark: 'bad' }
  }
  if (timedOut) return { text: `   ${who} didn't end, and was stopped`, mark: 'bad' }
  return { text: `   ${who} exited with ${exitCode}`, mark: exitCode === 0 ? null : 'note' }
}

/** Leaves out requests that say nothing: reads that succeeded, far from a fault or change. A number stands for that many of them. */
function shorten(calls: readonly TracedCall[]): (TracedCall | number)[] {
  const isImportant = ({ record, fault }: TracedCall): boolean =>
    fault !== undefined ||
    !record ||
    record.change !== undefined ||
    record.status === null ||
    record.status >= 400
  const important = calls.flatMap((call, i) =>
    isImportant(call) || i === 0 || i === calls.length - 1 ? [i] : [],
  )
  // In very long runs, the first faults and the end matter most.
  const kept =
    important.length > maxLines
      ? [...important.slice(0, maxLines / 2), ...important.slice(-maxLines / 2)]
      : important
  const near = calls.map((_call, i) =>
    kept.some((one) => Math.abs(one - i) <= (important.length > maxLines ? 0 : context)),
  )
  const shown: (TracedCall | number)[] = []
  for (const [i, call] of calls.entries()) {
    const last = shown.at(-1)
    if (near[i]) shown.push(call)
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1
    else shown.push(1)
  }
  return shown
}

/**
 * `3. POST /api/product/101 {"clientid":11} → no response, carried out: + service 5104  ← lost`
 * @param killed all calls of the run, if we killed the program
 */
function describeCall(
  { record, fault, operation }: TracedCall,
  position: number,
  worker: number,
  killed: readonly TracedCall[],
): ShownLine {
  const label = `${String(position).padStart(2)}. ${worker > 0 ? `[run ${worker}] ` : ''}`
  if (!record) return { text: `${label}${operation}: not answered, because the run had ended`, mark: 'note' }
  const entry = getEntry(record)
  const { change, before } = entry
  const result = fault?.killsClient ? 'no response' : describeResponse(record, fault, killed)
  const changes = describeChange(change, before).filter((line) => !line.startsWith('credit:'))
  const executed = wasExecuted(record, fault) ? 'carried out' : 'not carried out'
  const details = changes.length > 0 ? `${executed}: ${changes.join(', ')}` : executed
  const text = `${label}${requestText(entry, maxBody)} → ${result}, ${details}`
  if (fault) return { text: `${text}  ← ${fault.name}`, mark: 'bad', ...entry }
  return { text, mark: record.status === null || record.status >= 400 ? 'note' : null, ...entry }
}

function describeResponse(
  record: JournalRecord,
  fault: TracedCall['fault'],
  killed: readonly TracedCall[],
): string {
  const { status, isAbandoned, isUndelivered, durationMs, forced } = record
  if (isAbandoned) {
    const host = record.requestHeaders['host']
    // A program that sends another request has given up by itself.
    const isAlive = killed.some(
      (one) => one.record && one.record.requestHeaders['host'] === host && getArrival(one.record) > record.at,
    )
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

/** Whether an operation was carried out, whatever response the client got. */
function wasExecuted({ change, forced, status }: JournalRecord, fault: TracedCall['fault']): boolean {
  if (change !== undefined) return true
  if (fault && forced) return fault.fault.phase === 'after'
  return !forced && status !== null && status < 400
}

const maxBody = 80

/** `POST /api/product/101 {"clientid":11}`, without secrets */
export function requestText({ method, path, request }: JournalEntry, maxLength = Infinity): string {
  if (request.body === null) return `${method} ${path}`
  const body = JSON.stringify(request.body)
  return `${method} ${path} ${body.length > maxLength ? `${body.slice(0, maxLength)}…` : body}`
}
