import { nearest } from '../lib/nearest.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Fault } from '../world/World.ts'
import { describeFault, getChangesBehind, replacesResponse } from './applyFault.ts'
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
  /** Whether the client gets no good response, as opposed to a stale or slow one. */
  isFailure: boolean
  /** Whether `sweep` uses it only if `--faults` lists it, because it is slow or kills the client. */
  optIn: boolean
  /** Whether it holds the response back; `sweep --hold` sets for how long */
  holds: boolean
  /** Whether the client is killed once the operation has been executed */
  killsClient?: boolean
}

/** A fault that needs no further effects */
export type FaultName =
  | 503
  | '503'
  | 'bad-gateway'
  | 'too-many-requests'
  | 'not-json'
  | 'error-200'
  | 'reset'
  | 'empty'
  | 'truncate'
  | 'lost'
  | 'cut'
  | 'gateway-timeout'
  | 'no-response'
  | 'stale'
  | 'slow'

/** Faults that apply to any operation of any contract. */
export const genericFaults: readonly FaultPreset[] = [
  named('503', { respond: { status: 503, body: { error: 'Service Unavailable' } } }),
  named('bad-gateway', htmlErrorPage(502, 'Bad Gateway')),
  named('too-many-requests', {
    respond: { status: 429, headers: { 'Retry-After': '1' }, body: { error: 'Too Many Requests' } },
  }),
  named('not-json', htmlErrorPage(200, 'Down for maintenance')),
  named('error-200', { respond: { status: 200, body: { error: 'Internal error' } } }),
  ...dropModes.map((mode) => named(mode, { drop: mode })),
  named('lost', { phase: 'after', drop: 'reset' }),
  named('cut', { phase: 'after', drop: 'truncate' }),
  named('gateway-timeout', { phase: 'after', ...htmlErrorPage(504, 'Gateway Time-out') }),
  named('no-response', { phase: 'after', delay: 5000, drop: 'reset' }),
  named('stale', { stale: 1 }),
  named('slow', { delay: 5000 }),
]

/**
 * Replaces a named fault (`lost`, `503`, or `{ name: lost, operation: orderService, times: 1 }`) by its definition, by default on all
 * operations. Other values are returned unchanged, so that they are checked.
 */
export function expandFault(value: unknown): unknown {
  const fault = isName(value) ? { name: value } : value
  // Even if the name is misspelt, the operation isn't missing.
  if (!isObject(fault) || !Object.keys(fault).some((key) => nearest(key, ['name']))) return fault
  const { name, ...fields } = fault
  const found = isName(name) ? genericFaults.find((one) => one.name === String(name)) : undefined
  const isUnknown = Object.hasOwn(fault, 'name') && !found
  return {
    operation: '*',
    ...found?.fault,
    ...(isUnknown && { name: isName(name) ? String(name) : name }),
    ...fields,
  }
}

/** Whether a value can be a fault's name. In YAML, `503` is a number. */
function isName(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

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

/** A misspelt name doesn't compile. */
function named(name: Exclude<FaultName, number>, fault: FaultPreset['fault']): FaultPreset {
  return preset(name, fault)
}

function preset(name: string, fault: FaultPreset['fault']): FaultPreset {
  const holds = getEffects(fault).some(({ effect }) => effect.isSlow === true)
  return {
    name,
    description: describeFault(fault),
    fault,
    onlyWrites: fault.phase === 'after',
    onlyReads: getChangesBehind(fault) !== undefined,
    isFailure: replacesResponse(fault),
    optIn: holds && fault.phase !== 'after',
    holds,
  }
}
