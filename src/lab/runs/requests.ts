import { subtract } from '../../lib/groups.ts'
import { parseJson } from '../../lib/json.ts'
import { assignedIds, isObject, type ApiRequest, type JournalRecord } from '../simulator.ts'
import type { Call } from './Cell.ts'

/*
 * A client's requests, compared without what differs per run: ids and times, and what varies between runs without faults.
 */

/** A call, as far as it is compared. */
type ComparedCall = Pick<Call, 'operation' | 'request'>

/** Dates and times in a request */
const times = /\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g

/** The texts of requests, without times and without the ids that the service has assigned to new records. */
export class RequestTexts {
  readonly #assigned = new Set<string>()
  /** The requests by which the run has changed something */
  changes: readonly ComparedCall[] = []

  of({ request: { head, text } }: ApiRequest): string {
    return this.#textOf(head.method, head.url, text)
  }

  add({ operation, method, path, requestBody, before, change }: JournalRecord): void {
    if (operation === null || !change || !before) return
    for (const id of assignedIds(before, change)) this.#assigned.add(id)
    this.changes = [...this.changes, { operation, request: this.#textOf(method, path, requestBody) }]
  }

  #textOf(method: string, url: string, body = ''): string {
    const words = `${method} ${url} ${normalizeBody(body)}`.replaceAll(times, '…')
    return words.replaceAll(/\w+/g, (word) => (this.#assigned.has(word) ? '…' : word))
  }
}

/** Sorts the fields of JSON, and puts numbers in quotes: a number equals its digits. */
function normalizeBody(body: string): string {
  const value = parseJson(body)
  if (value === undefined) return body
  return JSON.stringify(value, (_key, one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : typeof one === 'number'
        ? String(one)
        : one,
  )
}

/** The operations whose requests differ between runs without faults. */
export function findVarying(runs: readonly (readonly ComparedCall[])[]): Set<string> {
  return new Set(
    runs.flat().flatMap(({ operation }) => {
      const texts = runs.map((calls) => requestsOf(calls, operation).toSorted().join('\n'))
      return new Set(texts).size > 1 ? operation : []
    }),
  )
}

function requestsOf(calls: readonly ComparedCall[], operation: string): string[] {
  return calls.filter((one) => one.operation === operation).map(({ request }) => request)
}

/** Equal for equal requests, and for all requests of a varying operation. */
export function comparedText({ operation, request }: ComparedCall, varying: ReadonlySet<string>): string {
  return varying.has(operation) ? operation : request
}

/** The calls that only one of two runs made. */
export interface CallDifference<T extends ComparedCall> {
  missing: T[]
  added: T[]
}

/**
 * Compares the calls of a run with those of runs without faults. Of an operation whose requests vary, only the number counts; if that
 * varies too, it isn't judged.
 */
export function compareCalls<T extends ComparedCall>(
  calls: readonly T[],
  usual: readonly [readonly T[], ...(readonly T[])[]],
): CallDifference<T> {
  const varying = findVarying(usual)
  const isJudged = ({ operation }: ComparedCall): boolean =>
    new Set(usual.map((one) => requestsOf(one, operation).length)).size === 1
  const textOf = (call: T): string => comparedText(call, varying)
  return {
    missing: subtract(usual[0], calls, textOf).filter(isJudged),
    added: subtract(calls, usual[0], textOf).filter(isJudged),
  }
}
