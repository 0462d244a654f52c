import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { precompiled } from '../contract/precompiled.ts'
import { shipped } from '../packageRoot.ts'
import type { Names } from './mergeScenario.ts'
import { NameIndex, UnknownScenario } from './NameIndex.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

const shippedScenarios = shipped('scenarios')
const shippedFixtures = shipped('fixtures')

/** A scenario that is ready to load. */
export interface Scenario {
  name: string
  document: ScenarioDocument
}

export interface ScenarioLibrary {
  list: () => Promise<{ name: string; description: string }[]>
  /** @throws UnknownScenario, ScenarioError */
  load: (name: string) => Promise<Scenario>
  /**
   * Loads a scenario file. It may extend library scenarios and files next to it.
   * @throws UnknownScenario if it can't be read, ScenarioError if it is invalid
   */
  loadFile: (file: string) => Promise<Scenario>
  /** Parses a scenario. @throws ScenarioError */
  read: (text: string, name: string) => Promise<Scenario>
}

/**
 * The named scenarios: the shipped ones, and those in a user's folder, which take precedence. Files are read on demand,
 * so a broken one doesn't affect the others.
 */
export async function openScenarioLibrary(contract: Contract, folder?: string): Promise<ScenarioLibrary> {
  const names = await indexNames(folder)
  const reading = () => import('./readScenario.ts')
  /** Shipped scenarios don't change at runtime; those in a folder may. */
  const shippedOnes = new Map<string, Scenario>()

  return {
    async list() {
      const { descriptionOf } = await reading()
      return Promise.all(
        names.scenarios.names.map(async (name) => ({
          name,
          description: await descriptionOf(names.scenarios.file(name)),
        })),
      )
    },
    async load(name) {
      const before = shippedOnes.get(name)
      if (before) return before
      const file = names.scenarios.file(name)
      // A user's folder may contain what a shipped scenario extends or includes.
      const known =
        folder === undefined ? await precompiled(await sourcesOf(name, names, contract)) : undefined
      if (known) {
        const scenario = { name, document: known as ScenarioDocument }
        shippedOnes.set(name, scenario)
        return scenario
      }
      const { readScenarioFile } = await reading()
      return { name, document: await readScenarioFile(file, names, contract) }
    },
    async loadFile(file) {
      await stat(file).catch((error: NodeJS.ErrnoException) => {
        throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`, {
          cause: error,
        })
      })
      const beside = dirname(resolve(file))
      const among = {
        scenarios: await names.scenarios.over(beside),
        fixtures: await names.fixtures.over(join(beside, 'fixtures')),
      }
      const { readScenarioFile } = await reading()
      const document = await readScenarioFile(resolve(file), among, contract, file)
      return { name: basename(file, extname(file)), document }
    },
    async read(text, name) {
      const { readScenarioText } = await reading()
      return { name, document: await readScenarioText(text, name, names, contract) }
    },
  }
}

/** Reads the shipped scenarios for the build. @returns by the text of their sources */
export async function readShippedScenarios(contract: Contract): Promise<Map<string, ScenarioDocument>> {
  const names = await indexNames(undefined)
  const { readScenarioFile } = await import('./readScenario.ts')
  const read = new Map<string, ScenarioDocument>()
  for (const name of names.scenarios.names)
    read.set(
      await sourcesOf(name, names, contract),
      await readScenarioFile(names.scenarios.file(name), names, contract),
    )
  return read
}

/** Everything that a scenario may depend on: if any of it has changed, the precompiled copy is stale. */
async function sourcesOf(name: string, { scenarios, fixtures }: Names, contract: Contract): Promise<string> {
  const files = [scenarios, fixtures].flatMap((index) => index.names.map((one) => index.file(one)))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return [name, contract.source, ...texts].join('\0')
}

async function indexNames(folder: string | undefined): Promise<Names> {
  const scenarios = await new NameIndex('scenario').add(shippedScenarios)
  const fixtures = await new NameIndex('fixture').add(shippedFixtures)
  if (folder === undefined) return { scenarios, fixtures }
  await scenarios.add(folder)
  await fixtures.add(join(folder, 'fixtures'), { mayBeMissing: true })
  return { scenarios, fixtures }
}
