import { parseJson } from '../../lib/json.ts'
import { getEntry, isObject, type JournalRecord, kinds } from '../simulator.ts'

/** A request that changed an account. */
interface ChangingRequest {
  operation: string
  /** Equal for requests that ask for the same change */
  key: string
  /** For reports, without secrets: `POST /api/product/101 {"clientid":11}` */
  text: string
}

/** The changing requests that only one of two runs made. */
export interface ChangeDifference {
  missing: string[]
  added: string[]
}

/**
 * The requests of a client that changed something. They are compared without the ids of records that the run added and
 * without times; a number equals its digits in quotes.
 */
export class ChangingRequests {
  readonly #requests: ChangingRequest[] = []
  readonly #newIds = new Set<string>()

  add(record: JournalRecord): void {
    const { operation, before: world, executionWorld, change, status } = record
    const before = executionWorld ?? world
    if (operation === null || !before || !change || !Object.keys(change).some(isOfRequest)) return
    if (status !== null && status >= 400 && !record.forced) return
    const { method, path, requestBody } = record
    const body = this.#normalize(parseJson(requestBody))
    const segments = path.split(/[/?]/).map((segment) => this.#normalize(segment))
    const shown = getEntry(record)
    const shownBody = shown.request.body === null ? '' : ` ${JSON.stringify(shown.request.body)}`
    this.#requests.push({
      operation,
      key: JSON.stringify([method, segments, body]),
      text: `${method} ${shown.path}${shownBody}`,
    })
    for (const kind of kinds)
      for (const id of Object.keys(change[kind] ?? {}))
        if (!before[kind].has(Number(id))) this.#newIds.add(id)
  }

  /** @param by what is compared: whole requests, or only their operations */
  compare(usual: ChangingRequests, by: 'key' | 'operation' = 'key'): ChangeDifference {
    return {
      missing: subtract(usual.#requests, this.#requests, by),
      added: subtract(this.#requests, usual.#requests, by),
    }
  }

  #normalize(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#normalize(item))
    if (isObject(value)) {
      const fields = Object.entries(value).map(([name, item]) => [name, this.#normalize(item)] as const)
      return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    }
    const text = String(value)
    if (this.#newIds.has(text)) return 'new'
    return isTime.test(text) ? 'time' : text
  }
}

const isTime = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/

/** Whether a part of a change is not a counter of faults or limits. */
function isOfRequest(name: string): boolean {
  return name !== 'faultCounts' && name !== 'limits'
}

/** The texts of the requests that the others don't contain, counting repetitions. */
function subtract(
  requests: readonly ChangingRequest[],
  others: readonly ChangingRequest[],
  by: 'key' | 'operation',
): string[] {
  const left = others.map((one) => one[by])
  return requests.flatMap((one) => {
    const index = left.indexOf(one[by])
    left.splice(index, index < 0 ? 0 : 1)
    return index < 0 ? one.text : []
  })
}
