import { suggestion } from '../lib/nearest.ts'
import type { PathIssue } from '../lib/PathIssue.ts'
import { maxFaultLength, maxFaults } from '../world/numbers.ts'
import type { FaultInput } from '../world/World.ts'
import type { EffectTarget } from './effects/FaultEffect.ts'
import { getEffects } from './effects/effects.ts'

/** The parts of an operation that faults are checked against. */
export interface FaultTarget extends EffectTarget {
  pathParameters: readonly string[]
  bodyTypes: readonly string[]
}

/** Returns the issues of faults: those that no request could ever trigger, and very large ones. */
export function checkFaults(faults: readonly FaultInput[], operations: readonly FaultTarget[]): PathIssue[] {
  const { length } = faults
  if (length > maxFaults)
    return [{ path: ['faults'], message: `there are ${length} faults, but at most ${maxFaults} are allowed` }]
  return faults.flatMap((fault, i) =>
    checkFault(fault, operations).map((issue) => ({ ...issue, path: ['faults', i, ...issue.path] })),
  )
}

function checkFault(fault: FaultInput, operations: readonly FaultTarget[]): PathIssue[] {
  const { operation } = fault
  const targets =
    operation === '*' ? operations : operations.filter(({ operationId }) => operationId === operation)
  if (targets.length === 0) {
    const ids = operations.map(({ operationId }) => operationId)
    return [{ path: ['operation'], message: unknownMessage('Unknown operation', operation, ['*', ...ids]) }]
  }
  const { length } = JSON.stringify(fault)
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
  for (const name of Object.keys(match?.path ?? {}).filter((one) => !names.includes(one))) {
    const lacking = operation === '*' ? 'No operation has a' : `${operation} has no`
    const message = unknownMessage(`${lacking} path parameter`, name, names)
    issues.push({ path: ['match', 'path', name], message, isKey: true })
  }
  if (match?.body !== undefined && targets.every(({ bodyTypes }) => bodyTypes.length === 0))
    issues.push({ path: ['match', 'body'], message: `${operation} takes no body`, isKey: true })
  return issues
}

function checkEffects(fault: FaultInput, targets: readonly FaultTarget[]): PathIssue[] {
  const all = getEffects(fault)
  return all.flatMap(({ name, effect, value }): PathIssue[] => {
    const other = effect.excludes?.find((one) => all.some((own) => own.name === one))
    const message =
      other === undefined
        ? effect.issue?.(value, targets, fault.operation)
        : `It cannot be combined with ${other}. Leave out one of them`
    return message === undefined ? [] : [{ path: [name], message }]
  })
}

function unknownMessage(what: string, name: string, known: readonly string[]): string {
  const allowed = known.length > 0 ? ` Allowed: ${known.join(', ')}` : ''
  return `${what} ${JSON.stringify(name)}.${suggestion(name, known) || allowed}`
}
