import { readingOf } from '../../world/readingOf.ts'
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
    body: simulation.contract.assumptions.map(({ operations, alternatives, meaning, ...rest }) => ({
      ...rest,
      operations: [...operations],
      alternatives: [...alternatives],
      meaning: { ...meaning },
      ...currentOf(world, rest.id),
    })),
  }
}

function currentOf(world: World | undefined, id: string): { current?: string | number } {
  const current = world && readingOf(world, id)
  return current === undefined ? {} : { current }
}
