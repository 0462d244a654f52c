import { mishaps, type NamedFault } from '../../../src/faults/namedFaults.ts'
import { isObject } from '../../../src/world/mergePatch.ts'
import type { Patch } from '../lib/types.ts'

/** A fault as it is entered. */
export interface FaultDraft {
  operation: string
  /** `case`, `status`, or a mishap's name */
  effect: string
  case: string
  status: string
  delay: string
  phase: string
  times: string
  after: string
  /** Percent */
  probability: string
  /** Path parameters that a request must have; empty: any */
  path: Record<string, string>
  /** What its body must hold, as JSON */
  body: string
}

export const firstDraft: FaultDraft = {
  operation: 'orderService',
  effect: 'case',
  case: 'insufficient-funds',
  status: '503',
  delay: '',
  phase: 'before',
  times: '1',
  after: '',
  probability: '',
  path: {},
  body: '',
}

/** The fault that another page asked for: `#/control?fault={…}`. */
export function readDraft(query: string): FaultDraft | undefined {
  const text = new URLSearchParams(query).get('fault')
  if (text === null) return undefined
  let fault: unknown
  try {
    fault = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(fault)) return undefined
  const { operation, respond, match, drop, times } = fault
  const path = isObject(match) && isObject(match['path']) ? match['path'] : {}
  return {
    ...firstDraft,
    ...(typeof operation === 'string' && { operation }),
    ...(typeof respond === 'string' && { effect: 'case', case: respond }),
    ...(isObject(respond) && { effect: 'status', status: String(respond['status']) }),
    ...(typeof drop === 'string' && { effect: drop }),
    ...(typeof times === 'number' && { times: String(times) }),
    path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)])),
  }
}

export function mishapOf({ effect }: FaultDraft): NamedFault['fault'] | undefined {
  return mishaps.find(({ name }) => name === effect)?.fault
}

/**
 * @param names the operation's path parameters
 * @throws SyntaxError if the body is not JSON
 */
export function toFault(draft: FaultDraft, names: readonly string[]): Patch {
  const { operation, effect, status, delay, phase, times, after, probability } = draft
  const wanted = names.flatMap((name) => (draft.path[name] ? [[name, draft.path[name]] as const] : []))
  const match = {
    ...(wanted.length > 0 && { path: Object.fromEntries(wanted) }),
    ...(draft.body.trim() !== '' && { body: JSON.parse(draft.body) as unknown }),
  }
  return {
    operation,
    phase,
    ...(Object.keys(match).length > 0 && { match }),
    ...(effect === 'case' && { respond: draft.case }),
    ...(effect === 'status' && { respond: { status: Number(status) } }),
    ...mishapOf(draft),
    ...(delay !== '' && { delay: Number(delay) }),
    ...(times !== '' && { times: Number(times) }),
    ...(after !== '' && { after: Number(after) }),
    ...(probability !== '' && { probability: Number(probability) / 100 }),
  }
}
