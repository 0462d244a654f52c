import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { precompiled } from '../contract/precompiled.ts'
import { shipped } from '../packageRoot.ts'
import type { References } from './mergeScenario.ts'
import { fileOf, indexFolder, namesOf, UnknownScenario, type NameIndex } from './NameIndex.ts'
import type { Source } from './readScenario.ts'
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
   * @param text what was read of it: a pipe can't be read twice
   * @throws UnknownScenario if it can't be read, ScenarioError if it is invalid
   */
  loadFile: (file: string, text?: string) => Promise<Scenario>
  /** Parses a scenario. @throws ScenarioError */
  read: (text: string, name: string) => Promise<Scenario>
}

/**
 * The named scenarios: the shipped ones, and those in a user's folder, which take precedence. Files are read on demand,
 * so a broken one doesn't affect the others.
 */
export async function openScenarioLibrary(contract: Contract, given?: string): Promise<ScenarioLibrary> {
  // The working directory may change.
  const folder = given === undefined ? undefined : resolve(given)
  const atStart = await referencesOf(contract, folder)
  /** Files may come and go in a user's folder; if it is gone itself, there are none. */
  const referencesNow = async (): Promise<References> =>
    folder === undefined ? atStart : referencesOf(contract, folder, { mayBeMissing: true })
  const reading = () => import('./readAside.ts')
  const read = async (source: Source, among: References): Promise<ScenarioDocument> =>
    (await reading()).readAside('readScenario', source, among)
  /** Shipped scenarios don't change at runtime; those in a folder may. */
  const shippedOnes = new Map<string, Scenario>()

  return {
    async list() {
      const { readAside } = await reading()
      const references = await referencesNow()
      const { scenarios } = references
      return Promise.all(
        namesOf(scenarios).map(async (name) => ({
          name,
          description: await readAside(
            'readDescription',
            { file: fileOf(scenarios, name) },
            references,
          ).catch((error: Error) => `can't be read: ${error.message.split('\n', 1)[0]}`),
        })),
      )
    },
    async load(name) {
      const before = shippedOnes.get(name)
      if (before) return before
      const references = await referencesNow()
      const file = fileOf(references.scenarios, name)
      // A user's folder may contain what a shipped scenario extends or includes.
      const known =
        folder === undefined ? await precompiled(await sourcesOf(name, references, contract)) : undefined
      if (known) {
        const scenario = { name, document: known as ScenarioDocument }
        shippedOnes.set(name, scenario)
        return scenario
      }
      return { name, document: await read({ file }, references) }
    },
    async loadFile(file, text) {
      await stat(file).catch((error: NodeJS.ErrnoException) => {
        throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`, {
          cause: error,
        })
      })
      const beside = dirname(file)
      const references = await referencesNow()
      const among = {
        ...references,
        scenarios: await over(references.scenarios, beside),
        fixtures: await over(references.fixtures, join(beside, 'fixtures')),
      }
      const source = text === undefined ? { file: resolve(file), shown: file } : { text, file }
      const document = await read(source, among)
      return { name: basename(file, extname(file)), document }
    },
    read: async (text, name) => ({ name, document: await read({ text, file: name }, await referencesNow()) }),
  }
}

/** Reads the shipped scenarios for the build. @returns by the text of their sources */
export async function readShippedScenarios(contract: Contract): Promise<Map<string, ScenarioDocument>> {
  const references = await referencesOf(contract)
  const { scenarios } = references
  const { readScenario } = await import('./readScenario.ts')
  const read = new Map<string, ScenarioDocument>()
  for (const name of namesOf(scenarios))
    read.set(
      await sourcesOf(name, references, contract),
      await readScenario({ file: fileOf(scenarios, name) }, references),
    )
  return read
}

/** Everything that a scenario may depend on: if any of it has changed, the precompiled copy is stale. */
async function sourcesOf(name: string, references: References, contract: Contract): Promise<string> {
  const indexes = [references.scenarios, references.fixtures]
  const files = indexes.flatMap((index) => namesOf(index).map((one) => fileOf(index, one)))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return [name, contract.source, ...texts].join('\0')
}

async function referencesOf(
  contract: Contract,
  folder?: string,
  { mayBeMissing = false } = {},
): Promise<References> {
  let scenarios = await indexFolder(shippedScenarios, { kind: 'scenario', files: new Map() })
  let fixtures = await indexFolder(shippedFixtures, { kind: 'fixture', files: new Map() })
  if (folder !== undefined) {
    scenarios = await indexFolder(folder, scenarios, { mayBeMissing })
    fixtures = await indexFolder(join(folder, 'fixtures'), fixtures, { mayBeMissing: true })
  }
  // Only what faults refer to, as it may be sent to another thread.
  const operations = contract.operations.map(({ operationId, pathNames, bodyTypes, cases }) => ({
    operationId,
    pathNames,
    bodyTypes,
    cases: cases.map(({ name }) => ({ name })),
  }))
  return { scenarios, fixtures, operations }
}

/** A copy with another folder as a fallback. */
async function over(index: NameIndex, folder: string): Promise<NameIndex> {
  const below = await indexFolder(folder, { ...index, files: new Map() }, { mayBeMissing: true })
  return { ...below, files: new Map([...below.files, ...index.files]) }
}
