import type { ContractOperation } from '../contract/Contract.ts'
import type { Fault, World } from '../world/World.ts'

/** A fault by a name that people and programs share, without whom it strikes and how often. */
export interface NamedFault {
  name: string
  fault: Pick<Fault, 'respond' | 'delay' | 'drop'> & Partial<Pick<Fault, 'phase'>>
  /** Whether it is for operations that change state alone: the others have nothing to lose. */
  changesState: boolean
  /** Whether it is left out unless it is named: it takes long. */
  onlyWhenNamed: boolean
}

/** What can go wrong with any operation, whatever the contract says of it. */
export const mishaps: readonly NamedFault[] = [
  named('503', { respond: { status: 503, body: { error: 'Service Unavailable' } } }),
  named('reset', { drop: 'reset' }),
  named('empty', { drop: 'empty' }),
  named('truncate', { drop: 'truncate' }),
  named('lost', { phase: 'after', drop: 'reset' }, { changesState: true }),
  named('slow', { delay: 5000 }, { onlyWhenNamed: true }),
]

/** Every fault that an operation can meet in a world: its documented cases, then the mishaps. */
export function namedFaults(operation: ContractOperation, world: World): NamedFault[] {
  return [
    ...operation.cases
      .filter(({ name }) => isReachable(operation.operationId, name, world))
      .map(({ name }) => named(name, { respond: name })),
    ...mishaps.filter((mishap) => !mishap.changesState || changesState(operation)),
  ]
}

/** These change state although they are GETs. */
const unsafeGets = ['rotateStickySession', 'changeStickyTtl', 'resetStickySessions']

function changesState({ operationId, method }: ContractOperation): boolean {
  return method !== 'GET' || unsafeGets.includes(operationId)
}

/** The readings under which an operation never answers with a case. */
const unreachable: Record<string, (world: World, name: string) => boolean> = {
  listProductsOrderedBy: ({ assumptions }, name) =>
    name === 'unprocessable' && assumptions.unknownSortField === 'ignore',
  updateService: ({ limits }, name) => name === 'update-list-throttled' && limits.updateListInterval === 0,
  changeStickyTtl: ({ assumptions }, name) => name !== 'unprocessable' && assumptions.stickyAuth === 'open',
}

function isReachable(operationId: string, name: string, world: World): boolean {
  return !unreachable[operationId]?.(world, name)
}

function named(
  name: string,
  fault: NamedFault['fault'],
  { changesState: only = false, onlyWhenNamed = false } = {},
): NamedFault {
  return { name, fault, changesState: only, onlyWhenNamed }
}
