import type { Fault } from '../world/World.ts'
import { describeFault } from './applyFault.ts'
import { dropModes } from './effects/drop.ts'
import { getEffects, type FaultEffects } from './effects/effects.ts'

/** A named fault for the command line, the dashboard and `sweep`, which add its operation and count. */
export interface FaultPreset {
  name: string
  description: string
  fault: FaultEffects & Partial<Pick<Fault, 'phase'>>
  /** Whether it only applies to operations that change state. It triggers after they have been executed. */
  onlyWrites: boolean
  /** Whether it only applies to operations that read. */
  onlyReads: boolean
  /** Whether `sweep` uses it only if `--faults` lists it, because it is slow or kills the client. */
  optIn: boolean
  /** Whether it holds the response back; `sweep --hold` sets for how long */
  holds: boolean
  /** Whether the client is killed once the operation has been executed */
  killsClient?: boolean
}

/** Faults that apply to any operation of any contract. */
export const genericFaults: readonly FaultPreset[] = [
  preset('503', { respond: { status: 503, body: { error: 'Service Unavailable' } } }),
  preset('bad-gateway', htmlErrorPage(502, 'Bad Gateway')),
  preset('too-many-requests', {
    respond: { status: 429, headers: { 'Retry-After': '1' }, body: { error: 'Too Many Requests' } },
  }),
  preset('not-json', htmlErrorPage(200, 'Down for maintenance')),
  preset('error-200', { respond: { status: 200, body: { error: 'Internal error' } } }),
  ...dropModes.map((mode) => preset(mode, { drop: mode })),
  preset('lost', { phase: 'after', drop: 'reset' }),
  preset('cut', { phase: 'after', drop: 'truncate' }),
  preset('gateway-timeout', { phase: 'after', ...htmlErrorPage(504, 'Gateway Time-out') }),
  preset('no-response', { phase: 'after', delay: 5000, drop: 'reset' }),
  preset('stale', { stale: 1 }),
  preset('slow', { delay: 5000 }),
]

/** A fault that only `sweep` offers, because it controls the client's process. */
export const crash: FaultPreset = {
  ...preset('crash', { phase: 'after', drop: 'reset' }),
  description: 'kills the client after the operation has been executed',
  onlyWrites: false,
  optIn: true,
  killsClient: true,
}

/** All faults of an operation: its documented cases, then the generic faults. */
export function presetsFor(operation: {
  cases: readonly { name: string }[]
  changesState: boolean
}): FaultPreset[] {
  return [
    ...operation.cases.map(({ name }) => preset(name, { respond: name })),
    ...genericFaults.filter(({ onlyWrites, onlyReads }) =>
      operation.changesState ? !onlyReads : !onlyWrites,
    ),
  ]
}

/** A typical response of a proxy or load balancer in front of the service. */
function htmlErrorPage(status: number, title: string): FaultEffects {
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  return { respond: { status, headers: { 'Content-Type': 'text/html' }, body } }
}

function preset(name: string, fault: FaultPreset['fault']): FaultPreset {
  const holds = getEffects(fault).some(({ effect }) => effect.isSlow === true)
  return {
    name,
    description: describeFault(fault),
    fault,
    onlyWrites: fault.phase === 'after',
    onlyReads: fault.stale !== undefined,
    optIn: holds && fault.phase !== 'after',
    holds,
  }
}
