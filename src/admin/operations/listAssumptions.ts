import type { World } from '../../world/World.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const listAssumptions: AdminOperation<'listAssumptions'> = ({ query }, simulation) => {
  const worlds = Object.values(simulation.store.state.accounts)
  const world =
    query.account === undefined
      ? worlds.length === 1
        ? worlds[0]
        : undefined
      : findAccount(simulation, query.account).world
  return {
    status: 200,
    body: simulation.contract.assumptions.map(({ operations, alternatives, meaning, ...rest }) => {
      const current = world && readingOf(world, rest.id)
      return {
        ...rest,
        operations: [...operations],
        alternatives: [...alternatives],
        meaning: { ...meaning },
        ...(current !== undefined && { current }),
      }
    }),
  }
}

function readingOf({ assumptions, limits }: World, id: string): string | number | undefined {
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}
