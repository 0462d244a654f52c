import type { CoveredResponse, CoverageReport } from '../contract/shapes.ts'
import { holds, type Condition } from '../contract/Condition.ts'
import type { Contract, ContractOperation } from '../contract/Contract.ts'
import type { Interpretations } from '../world/World.ts'
import type { JournalRecord } from './JournalRecord.ts'

interface DocumentedResponse {
  status: number
  case: string | null
  isAuthentication: boolean
  unreachableWhen: Condition | undefined
}

/** The key under which a request is counted. A request without a status only counts as a call. */
export type CoverageKey = readonly [operation: string, status: number | null, caseName: string | null]

/**
 * The key of a request; undefined if there was no operation. A request without a response, or with a custom response of a
 * fault, only counts as a call.
 */
export function coverageKey({
  operation,
  status,
  case: name,
  forced,
}: Pick<JournalRecord, 'operation' | 'status' | 'case' | 'forced'>): CoverageKey | undefined {
  if (operation === null) return undefined
  return status === null || (forced && name === null) ? [operation, null, null] : [operation, status, name]
}

/** Counts which responses of the contract were returned: (operation, status, case). */
export class Coverage {
  readonly #contract: Contract
  /** Account (null if there was none) → operation → status and case → count */
  readonly #hits = new Map<string | null, Map<string, Map<string, number>>>()

  constructor(contract: Contract) {
    this.#contract = contract
  }

  /** Counts a response to an account's request. */
  add(account: string | null, response: CoverageKey | undefined, times = 1): void {
    if (!response) return
    const [operation, status, caseName] = response
    let operations = this.#hits.get(account)
    if (!operations) this.#hits.set(account, (operations = new Map()))
    let hits = operations.get(operation)
    if (!hits) operations.set(operation, (hits = new Map()))
    const key = responseKey(status, caseName)
    hits.set(key, (hits.get(key) ?? 0) + times)
  }

  /** Clears one account's requests. */
  clear(account: string): void {
    this.#hits.delete(account)
  }

  /** The operations that were called with valid credentials, including calls that failed. @param account count only this account's requests */
  calledOperations(account?: string): Set<string> {
    const accounts = [...this.#hits].filter(([login]) => login !== null && login === (account ?? login))
    return new Set(accounts.flatMap(([, operations]) => [...operations.keys()]))
  }

  /**
   * The coverage of the contract. Responses that can't occur under the assumptions of any account are left out unless they
   * did occur, through a fault or under other assumptions.
   * @param account count only this account's requests
   */
  report(interpretations: readonly Interpretations[], account?: string): CoverageReport {
    const accounts = account === undefined ? [...this.#hits.values()] : [this.#hits.get(account)]
    const authentication = new Map<string, CoveredResponse>()
    const operations = this.#contract.operations.map((operation) => {
      const { operationId, method, path } = operation
      const responses: CoveredResponse[] = []
      for (const { status, case: name, isAuthentication, unreachableWhen } of documentedResponses(
        operation,
      )) {
        const key = responseKey(status, name)
        const hits = accounts.reduce((sum, one) => sum + (one?.get(operationId)?.get(key) ?? 0), 0)
        const existing = authentication.get(key)
        if (existing) existing.hits += hits
        else if (isAuthentication) authentication.set(key, { status, case: name, hits })
        else if (hits > 0 || isReachable(unreachableWhen, interpretations))
          responses.push({ status, case: name, hits })
      }
      return { operation: operationId, method, path, responses }
    })
    const allResponses = [...authentication.values(), ...operations.flatMap(({ responses }) => responses)]
    const covered = allResponses.filter(({ hits }) => hits > 0).length
    return {
      covered,
      total: allResponses.length,
      percent: toPercent(covered, allResponses.length),
      authentication: [...authentication.values()],
      operations,
    }
  }
}

function responseKey(status: number | null, caseName: string | null): string {
  return `${status} ${caseName}`
}

/** Lists an operation's documented responses: one per case, and one for each status without cases. */
function documentedResponses({ responses, cases }: ContractOperation): DocumentedResponse[] {
  return Object.keys(responses)
    .map(Number)
    .flatMap((status): DocumentedResponse[] => {
      const casesOfStatus = cases.filter((one) => one.status === status)
      return casesOfStatus.length
        ? casesOfStatus.map(({ name, ...documented }) => ({ ...documented, status, case: name }))
        : [
            {
              status,
              case: null,
              isAuthentication: false,
              unreachableWhen: responses[status]?.unreachableWhen,
            },
          ]
    })
}

function isReachable(condition: Condition | undefined, interpretations: readonly Interpretations[]): boolean {
  return interpretations.length === 0 || interpretations.some((one) => !holds(condition, one))
}

/** Rounds to one decimal, but never up to 100. */
function toPercent(covered: number, total: number): number {
  const rounded = total ? Math.round((covered / total) * 1000) / 10 : 0
  return covered < total ? Math.min(rounded, 99.9) : rounded
}
