import type { Fault } from '../world/World.ts'
import { describeFault, delayOf } from './applyFault.ts'
import { drops } from './effects/drop.ts'
import type { FaultEffects } from './effects/effects.ts'

/** A fault with a name, for command line and dashboard. Its operation and count are added when it is used. */
export interface FaultInput {
  name: string
  description: string
  fault: FaultEffects & Partial<Pick<Fault, 'phase'>>
  /** Whether it only applies to operations that change state; they are executed. */
  changesState: boolean
  /** Whether it only applies to operations that read. */
  onlyReads: boolean
  /** Whether it is only used when named, because it is slow. */
  onlyWhenNamed: boolean
  /** Whether the client is killed once the operation was executed */
  killsClient?: boolean
}

/** Faults that apply to any operation of any contract. */
export const genericFaults: readonly FaultInput[] = [
  named('503', { respond: { status: 503, body: { error: 'Service Unavailable' } } }),
  named('bad-gateway', page(502, 'Bad Gateway')),
  named('too-many-requests', {
    respond: { status: 429, headers: { 'Retry-After': '1' }, body: { error: 'Too Many Requests' } },
  }),
  named('not-json', page(200, 'Down for maintenance')),
  named('error-200', { respond: { status: 200, body: { error: 'Internal error' } } }),
  ...drops.map((way) => named(way, { drop: way })),
  named('lost', { phase: 'after', drop: 'reset' }),
  named('cut', { phase: 'after', drop: 'truncate' }),
  named('gateway-timeout', { phase: 'after', ...page(504, 'Gateway Time-out') }),
  named('stale', { stale: 1 }),
  named('slow', { delay: 5000 }),
]

/** Faults that only `sweep` offers, because it controls the client's process. */
export const crash: FaultInput = {
  ...named('crash', { phase: 'after', drop: 'reset' }),
  description: 'kills the client, after the operation was carried out',
  changesState: false,
  onlyWhenNamed: true,
  killsClient: true,
}

/** All faults of an operation: its documented cases, then the generic faults. */
export function namedFaults(operation: {
  cases: readonly { name: string }[]
  changesState: boolean
}): FaultInput[] {
  return [
    ...operation.cases.map(({ name }) => named(name, { respond: name })),
    ...genericFaults.filter(({ changesState, onlyReads }) =>
      operation.changesState ? !onlyReads : !changesState,
    ),
  ]
}

/** A typical response of a proxy or load balancer in front of the service. */
function page(status: number, title: string): FaultEffects {
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  return { respond: { status, headers: { 'Content-Type': 'text/html' }, body } }
}

function named(name: string, fault: FaultInput['fault']): FaultInput {
  const changesState = fault.phase === 'after'
  const onlyReads = fault.stale !== undefined
  return {
    name,
    description: describeFault(fault),
    fault,
    changesState,
    onlyReads,
    onlyWhenNamed: delayOf(fault) !== undefined,
  }
}
