import type { Contract } from '../contract/Contract.ts'

export interface CoveredResponse {
  status: number
  /** null: the answer of success */
  case: string | null
  hits: number
}

export interface CoverageReport {
  covered: number
  total: number
  /** 0 to 100, one decimal */
  percent: number
  operations: { operation: string; method: string; path: string; responses: CoveredResponse[] }[]
}

/** Which answers of the contract were given: (operation, status, case). */
export class Coverage {
  readonly #contract: Contract
  /** By account, null for requests of none; then by operation, status and case */
  readonly #hits = new Map<string | null, Map<string, number>>()

  constructor(contract: Contract) {
    this.#contract = contract
  }

  count(account: string | null, operation: string, status: number, caseName: string | null): void {
    let hits = this.#hits.get(account)
    if (!hits) this.#hits.set(account, (hits = new Map()))
    const name = key(operation, status, caseName)
    hits.set(name, (hits.get(name) ?? 0) + 1)
  }

  /** Forgets what one account asked. */
  clear(account: string): void {
    this.#hits.delete(account)
  }

  /** @param account of its requests alone */
  report(account?: string): CoverageReport {
    const counted = account === undefined ? [...this.#hits.values()] : [this.#hits.get(account)]
    const hitsOf = (name: string): number => counted.reduce((sum, hits) => sum + (hits?.get(name) ?? 0), 0)
    const operations = this.#contract.operations.map(({ operationId, method, path, responses, cases }) => ({
      operation: operationId,
      method,
      path,
      responses: Object.keys(responses)
        .map(Number)
        .flatMap((status) => {
          const named = cases.filter((one) => one.status === status).map(({ name }) => name)
          return (named.length ? named : [null]).map((name) => ({
            status,
            case: name,
            hits: hitsOf(key(operationId, status, name)),
          }))
        }),
    }))
    const all = operations.flatMap(({ responses }) => responses)
    const covered = all.filter(({ hits }) => hits > 0).length
    return {
      covered,
      total: all.length,
      percent: percentOf(covered, all.length),
      operations,
    }
  }
}

/** To one decimal; 100 only where nothing is missing. */
function percentOf(covered: number, total: number): number {
  const rounded = total ? Math.round((covered / total) * 1000) / 10 : 0
  return covered < total ? Math.min(rounded, 99.9) : rounded
}

function key(operation: string, status: number, caseName: string | null): string {
  return `${operation} ${status} ${caseName ?? ''}`
}
