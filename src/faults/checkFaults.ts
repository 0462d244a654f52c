import { suggestion } from '../lib/nearest.ts'
import { type PathIssue, prefixPaths } from '../lib/PathIssue.ts'
import { quoted } from '../lib/text.ts'
import type { EntryMap } from '../world/entries.ts'
import { maxFaultLength, maxFaults } from '../world/numbers.ts'
import type { FaultInput } from '../world/World.ts'
import type { EffectTarget } from './effects/FaultEffect.ts'
import { getEffects } from './effects/effects.ts'

/** The parts of an operation that faults are checked against. */
export interface FaultTarget extends EffectTarget {
  pathParameters: readonly string[]
  bodyTypes: readonly string[]
}

/** The number of issues, in all faults or in the path parameters of one, after which further ones aren't searched for. */
const maxReported = 50

/**
 * Reports faults that no request can trigger, and faults that are too many or too large.
 * @param total the number of the account's faults, if these aren't all
 */
export function checkFaults(
  faults: EntryMap<FaultInput> = {},
  operations: readonly FaultTarget[],
  total = Object.keys(faults).length,
): PathIssue[] {
  if (total > maxFaults) return [tooManyFaults(total)]
  const issues: PathIssue[] = []
  for (const [id, fault] of Object.entries(faults)) {
    issues.push(...prefixPaths(['faults', id], checkFault(fault, operations)))
    if (issues.length > maxReported) break
  }
  return issues
}

export function tooManyFaults(total: number): PathIssue {
  return { path: ['faults'], message: `${total} faults. An account may have at most ${maxFaults}` }
}

function checkFault(fault: FaultInput, operations: readonly FaultTarget[]): PathIssue[] {
  const { operation } = fault
  const targets =
    operation === '*' ? operations : operations.filter(({ operationId }) => operationId === operation)
  if (targets.length === 0) {
    const ids = operations.map(({ operationId }) => operationId)
    return [{ path: ['operation'], message: unknownMessage('Unknown operation', operation, ['*', ...ids]) }]
  }
  const { id: _id, phase: _phase, seen: _seen, used: _used, ...definition } = fault // an export has all of these
  const { length } = JSON.stringify(definition)
  const tooLong = `${length} characters as JSON. A fault may have at most ${maxFaultLength}`
  return [
    ...(length > maxFaultLength ? [{ path: [], message: tooLong }] : []),
    ...checkMatch(fault, targets),
    ...checkEffects(fault, targets),
  ]
}

function checkMatch({ operation, match }: FaultInput, targets: readonly FaultTarget[]): PathIssue[] {
  const issues: PathIssue[] = []
  const names = [...new Set(targets.flatMap(({ pathParameters }) => pathParameters))]
  const unknown = Object.keys(match?.path ?? {}).filter((key) => !names.includes(key))
  for (const name of unknown.slice(0, maxReported)) {
    const lacking = operation === '*' ? 'No operation has a' : `${operation} has no`
    const message = unknownMessage(`${lacking} path parameter`, name, names)
    issues.push({ path: ['match', 'path', name], message, isKey: true })
  }
  if (match?.body !== undefined && targets.every(({ bodyTypes }) => bodyTypes.length === 0))
    issues.push({ path: ['match', 'body'], message: `${operation} takes no body. Leave it out`, isKey: true })
  return issues
}

function checkEffects(fault: FaultInput, targets: readonly FaultTarget[]): PathIssue[] {
  const effects = getEffects(fault)
  return effects.flatMap(({ name, effect, value }, index): PathIssue[] => {
    const conflicting = effects.find(
      (one, i) => effect.excludes?.includes(one.name) || (i < index && effect.send && one.effect.send),
    )
    const message = conflicting
      ? `Can't be combined with ${conflicting.name}. Leave out one of them`
      : effect.issue?.(value, targets, fault.operation)
    return message === undefined ? [] : [{ path: [name], message }]
  })
}

function unknownMessage(problem: string, name: string, known: readonly string[]): string {
  const allowed = known.length > 0 ? ` Allowed: ${known.join(', ')}` : ''
  return `${problem} ${quoted(name)}.${suggestion(name, known) || allowed}`
}
