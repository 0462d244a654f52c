import type { Assumption } from '../../contract/Contract.ts'
import type { Contract } from '../../contract/Contract.ts'
import { applyPatch, type Interpretations, type World } from '../simulator.ts'
import type { CallEffect, Need } from './Calibration.ts'
import type { Decision } from './decideAssumptions.ts'
import type { Exchange } from './Exchange.ts'
import type { Simulator } from './Simulator.ts'

/** A call that settles an assumption, as listed in the contract (`settle`). */
export interface DecidingCall {
  /** May contain placeholders for ids: `GET /api/product/{listed}` */
  call: string
  effect: CallEffect
  times?: number | 'each'
  credentials?: 'none'
  caution?: string
}

export function decidingCalls({ settle = [] }: Assumption & { settle?: DecidingCall[] }): DecidingCall[] {
  return settle
}

const effectOrder: Record<CallEffect, number> = { 'costs money': 0, 'changes state': 1, reads: 2 }

/** Returns the calls that would settle an assumption, the most decisive one first. */
export function findNeeds(assumption: Assumption): Need[] {
  return decidingCalls(assumption)
    .toSorted((a, b) => effectOrder[a.effect] - effectOrder[b.effect])
    .map((one) => ({
      call: describeCall(one),
      effect: one.effect,
      ...(one.caution !== undefined && { caution: one.caution }),
    }))
}

export function describeCall({ call, times, credentials }: DecidingCall): string {
  return `${call}${typeof times === 'number' ? `, ${times} times` : ''}${credentials === 'none' ? ', without credentials' : ''}`
}

interface Settled {
  contract: Contract
  simulator: Simulator
  exchanges: readonly Exchange[]
  /** The state in which the calls would be made, with the interpretations found */
  world: World
  interpretations: Interpretations
  found: ReadonlyMap<string, Decision>
}

/**
 * Finds the settled assumption under which the calls that would settle another one get the same response, whatever is
 * true. @returns the reason, such as `can't be told apart while ipListLayout is addresses`
 */
export function findHidingAssumption(
  { id, ...assumption }: Assumption,
  possible: readonly (string | number)[],
  settled: Settled,
): string | undefined {
  const { contract, interpretations, found } = settled
  const calls = decidingCalls({ id, ...assumption }).flatMap((call) => createCalls(call, settled))
  const areToldApart = (others: Interpretations): boolean =>
    calls.some((call) => {
      const responses = possible.map((value) => {
        const world = applyPatch(settled.world, { assumptions: { ...others, [id]: value } })
        const { status, contentType, body } = settled.simulator.respond(world, call, () => {}).ours
        return JSON.stringify([status, contentType, body])
      })
      return new Set(responses).size > 1
    })
  if (calls.length === 0 || areToldApart(interpretations)) return undefined
  const hiding = contract.assumptions.find(
    (one) =>
      one.id !== id &&
      ['holds', 'other'].includes(found.get(one.id)?.verdict ?? '') &&
      [one.default, ...one.alternatives].some((value) =>
        areToldApart({ ...interpretations, [one.id]: value }),
      ),
  )
  return hiding && `can't be told apart while ${hiding.id} is ${String(interpretations[hiding.id as never])}`
}

/** The call, for the records of recorded calls of the same operation. */
function createCalls({ call }: DecidingCall, { contract, simulator, exchanges }: Settled): Exchange[] {
  const [method = '', path = ''] = call.split(' ')
  const match = contract.match(method, path)
  if (!match || !('operation' in match)) return []
  const { operation } = match
  const similar = exchanges.filter((one) => one.operation === operation && one.response.status === 200)
  const found = new Map(
    similar.map((one) => {
      const url = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = match.path[name] ?? ''
        return value.startsWith('{') ? (one.path[name] ?? '') : value
      })
      return [url, { ...one, cacheKey: {}, request: { ...one.request, url } }]
    }),
  )
  for (const one of found.values()) simulator.prepare(one)
  return [...found.values()].slice(0, maxCalls)
}

/** Maximum number of records for which a call is tried */
const maxCalls = 20
