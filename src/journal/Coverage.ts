import type { CoveredResponse, CoverageReport } from '../admin/shapes.ts'
import { holds } from '../contract/Condition.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Readings } from '../world/readingOf.ts'

export type { CoveredResponse, CoverageReport }

interface Outcome {
  status: number
  case: string | null
  isAuthentication: boolean
}

/** Counts which responses of the contract were returned: (operation, status, case). */
export class Coverage {
  readonly #contract: Contract
  /** Account (null: none) → operationId → status and case → count */
  readonly #hits = new Map<string | null, Map<string, Map<string, number>>>()

  constructor(contract: Contract) {
    this.#contract = contract
  }

  count(account: string | null, operation: string, status: number, caseName: string | null, times = 1): void {
    this.#add(account, operation, key(status, caseName), times)
  }

  #add(account: string | null, operation: string, name: string, times: number): void {
    const hits = entry(entry(this.#hits, account), operation)
    hits.set(name, (hits.get(name) ?? 0) + times)
  }

  /** Forgets one account's requests. */
  clear(account: string): void {
    this.#hits.delete(account)
  }

  /** Keeps what an account covered, but not that it was this account. */
  anonymize(account: string): void {
    const own = this.#hits.get(account)
    this.#hits.delete(account)
    for (const [operation, hits] of own ?? [])
      for (const [name, times] of hits) this.#add(null, operation, name, times)
  }

  /**
   * How much of the contract was covered. Responses that no world can give under its assumptions are left out unless
   * they did occur: by a fault, or while the assumptions were different.
   * @param account count only its requests
   */
  report(worlds: readonly Readings[], account?: string): CoverageReport {
    const counted = account === undefined ? [...this.#hits.values()] : [this.#hits.get(account)]
    const hitsOf = (operation: string, name: string): number =>
      counted.reduce((sum, operations) => sum + (operations?.get(operation)?.get(name) ?? 0), 0)
    const authentication = new Map<string, CoveredResponse>()
    const operations = this.#contract.operations.map((operation) => {
      const { operationId, method, path } = operation
      const responses: CoveredResponse[] = []
      for (const { status, case: name, isAuthentication } of outcomesOf(operation)) {
        const hits = hitsOf(operationId, key(status, name))
        const before = authentication.get(key(status, name))
        if (before) before.hits += hits
        else if (isAuthentication) authentication.set(key(status, name), { status, case: name, hits })
        else if (hits > 0 || isReachable(operation, status, worlds))
          responses.push({ status, case: name, hits })
      }
      return { operation: operationId, method, path, responses }
    })
    const all = [...authentication.values(), ...operations.flatMap(({ responses }) => responses)]
    const covered = all.filter(({ hits }) => hits > 0).length
    return {
      covered,
      total: all.length,
      percent: percentOf(covered, all.length),
      authentication: [...authentication.values()],
      operations,
    }
  }
}

/** `operations 20/20 · answers 40/48` */
export function coverageSummary({ covered, total, operations }: CoverageReport): string {
  const seen = operations.filter(({ responses }) => responses.some(({ hits }) => hits > 0))
  return `operations ${seen.length}/${operations.length} · answers ${covered}/${total}`
}

/** Every response that the contract defines for an operation: its cases, and success. */
function outcomesOf({ responses, cases }: ContractOperation): Outcome[] {
  return Object.keys(responses)
    .map(Number)
    .flatMap((status): Outcome[] => {
      const named = cases.filter((one) => one.status === status)
      return named.length
        ? named.map(({ name, isAuthentication }) => ({ status, case: name, isAuthentication }))
        : [{ status, case: null, isAuthentication: false }]
    })
}

function isReachable({ responses }: ContractOperation, status: number, worlds: readonly Readings[]): boolean {
  const condition = responses[status]?.unreachableWhen
  return worlds.length === 0 || worlds.some((world) => !holds(condition, world))
}

/** To one decimal; 100 only if nothing is missing. */
function percentOf(covered: number, total: number): number {
  const rounded = total ? Math.round((covered / total) * 1000) / 10 : 0
  return covered < total ? Math.min(rounded, 99.9) : rounded
}

function entry<Key, A, B>(map: Map<Key, Map<A, B>>, name: Key): Map<A, B> {
  let found = map.get(name)
  if (!found) map.set(name, (found = new Map()))
  return found
}

function key(status: number, caseName: string | null): string {
  return `${status} ${caseName ?? ''}`
}
