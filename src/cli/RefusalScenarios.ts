import { join } from 'node:path'
import { reproduceRecord, type Reproduction } from '../scenario/reproduce.ts'
import type { Simulation } from '../Simulation.ts'
import type { LocalStore } from '../state/LocalStore.ts'
import { writeRepro } from './writeRepro.ts'

/** How many to keep; older ones are dropped */
const maxScenarios = 50

/**
 * Collects a scenario for each refusal that a command runs into. Each is made right after its response, because a reset
 * would delete the history it is made from.
 */
export class RefusalScenarios {
  /** Output folder, relative to the working directory */
  static readonly folder = 'proxysim-repro'

  readonly #scenarios = new Map<string, Promise<Reproduction | undefined>>()

  constructor({ store }: Simulation<LocalStore>, url: string) {
    store.on((event) => {
      if (event.type !== 'request' || event.record.raw.case === null) return
      const { id, operation, case: name } = event.record.raw
      this.#scenarios.set(
        `${id}-${operation ?? 'unknown'}-${name}`,
        reproduceRecord(store, event.record, url),
      )
      const [oldest] = this.#scenarios.keys()
      if (this.#scenarios.size > maxScenarios && oldest !== undefined) this.#scenarios.delete(oldest)
    })
  }

  /** @returns the files @throws UserError if one can't be written */
  async write(): Promise<string[]> {
    const files: string[] = []
    for (const [name, made] of this.#scenarios) {
      const { scenario, curl } = (await made) ?? {}
      if (scenario) files.push(await writeRepro(join(RefusalScenarios.folder, name), scenario, curl))
    }
    return files
  }
}
