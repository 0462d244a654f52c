import { reproduceRecord, type Reproduction } from '../scenario/reproduce.ts'
import type { Simulation } from '../Simulation.ts'

/** How many to keep; older ones are dropped */
const maxScenarios = 50

/**
 * Collects a scenario for each request that is refused. Each is made right after its response, because a reset would
 * delete the history it is made from. Their calls go to where `proxysim` listens by default: the simulator of the run is gone.
 * @returns gives them, oldest first
 */
export function collectRefusals({ store }: Simulation): () => Promise<(Reproduction & { name: string })[]> {
  const scenarios = new Map<string, Promise<Reproduction | undefined>>()
  store.on((event) => {
    if (event.type !== 'request' || event.record.raw.case === null || !event.record.isReproducible) return
    const { id, operation, case: name } = event.record.raw
    const made = reproduceRecord(store, event.record, 'http://127.0.0.1:4010')
    scenarios.set(`${id}-${operation ?? 'unknown'}-${name}`, made)
    const [oldest] = scenarios.keys()
    if (scenarios.size > maxScenarios && oldest !== undefined) scenarios.delete(oldest)
  })
  return async () => {
    const all = await Promise.all([...scenarios].map(async ([name, made]) => ({ name, ...(await made) })))
    return all.filter((one): one is Reproduction & { name: string } => one.scenario !== undefined)
  }
}
