import { localState, type Simulation, type World, type WorldChange } from '../simulator.ts'

/**
 * Applies a change to every world that needs it, including those that resets, loads and new accounts add later.
 * @param changeFor returns the change that a world needs, or undefined
 */
export function applyToEveryWorld(
  simulation: Simulation,
  changeFor: (world: World) => WorldChange | undefined,
): void {
  const { store } = simulation
  const apply = (login: string): void => {
    const world = store.read(login) as World | undefined
    const change = world && changeFor(world)
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
}
