import { join } from 'node:path'
import { reproduceRecord, type Reproduction } from '../scenario/reproduce.ts'
import type { Simulation } from '../Simulation.ts'
import { writeRepro } from './writeRepro.ts'

/** Output folder, relative to the working directory */
export const refusalsFolder = 'proxysim-repro'

/** How many to keep; older ones are dropped */
const maxScenarios = 50

/**
 * Collects a scenario for each refusal that a command runs into. Each is made right after its response, because a reset
 * would delete the history it is made from.
 * @returns writes them, and returns the files; throws a UserError if one can't be written
 */
export function collectRefusals({ store }: Simulation, url: string): () => Promise<string[]> {
  const scenarios = new Map<string, Promise<Reproduction | undefined>>()
  store.on((event) => {
    if (event.type !== 'request' || event.record.raw.case === null || !event.record.isReproducible) return
    const { id, operation, case: name } = event.record.raw
    scenarios.set(`${id}-${operation ?? 'unknown'}-${name}`, reproduceRecord(store, event.record, url))
    const [oldest] = scenarios.keys()
    if (scenarios.size > maxScenarios && oldest !== undefined) scenarios.delete(oldest)
  })
  return async () => {
    const files: string[] = []
    for (const [name, made] of scenarios) {
      const { scenario, curl } = (await made) ?? {}
      if (scenario) files.push(await writeRepro(join(refusalsFolder, name), scenario, curl))
    }
    return files
  }
}
