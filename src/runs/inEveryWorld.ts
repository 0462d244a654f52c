import { localState, type Simulation } from '../Simulation.ts'
import type { World, WorldChange } from '../world/World.ts'

/**
 * Keeps something true of every world, across the resets, loads and accounts that a command makes.
 * @param changeFor what a world lacks; undefined if nothing
 * @returns looks at all worlds again
 */
export function inEveryWorld(
  simulation: Simulation,
  changeFor: (world: World, login: string) => WorldChange | undefined,
): () => void {
  const { store } = simulation
  const apply = (login: string): void => {
    const world = store.read(login) as World | undefined
    const change = world && changeFor(world, login)
    if (change) void store.transact(login, () => ({ value: undefined, change }))
  }
  const applyAll = (): void => {
    for (const login of localState(simulation).accounts.keys()) apply(login)
  }
  applyAll()
  store.on((event) => {
    if (event.type === 'reset') applyAll()
    else if (event.type === 'change' && event.change !== null) apply(event.account)
  })
  return applyAll
}
