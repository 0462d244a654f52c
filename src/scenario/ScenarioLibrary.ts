import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { shipped } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import type { References } from './mergeScenario.ts'
import { fileOf, indexFolders, namesOf, UnknownScenario, type Folder } from './NameIndex.ts'
import type { Source } from './readScenario.ts'
import type { Readings, ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'

/** Where the build puts the shipped scenarios, merged and checked: parsing YAML takes most of the time of a start. */
const compiled = import.meta.url.endsWith('.ts') ? undefined : shipped('dist/scenarios')

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
  /** The issues of a file, also of those that it extends or includes; none if `loadFile` would load it. */
  issuesOf: (file: string) => Promise<readonly Issue[]>
}

/** The shipped scenarios, which don't change at runtime, by name: read once for each contract. */
const shippedOnes = new WeakMap<Contract, Map<string, Promise<ScenarioDocument>>>()

/**
 * The named scenarios: the shipped ones, and those in a user's folder, which take precedence. Files are read on demand,
 * so a broken one doesn't affect the others.
 * @param readings override those of every scenario
 * @throws UserError if there is no such folder, or no such reading
 */
export async function openScenarioLibrary(
  contract: Contract,
  given?: string,
  readings?: Readings,
): Promise<ScenarioLibrary> {
  // The working directory may change.
  const folder = given === undefined ? undefined : resolve(given)
  const { operations } = contract
  const atStart = await referencesOf(operations, folder === undefined ? [] : [{ path: folder }])
  /** Files may come and go in a user's folder; if it is gone itself, there are none. */
  const above: Folder[] = folder === undefined ? [] : [{ path: folder, mayBeMissing: true }]
  const referencesNow = async (): Promise<References> =>
    folder === undefined ? atStart : referencesOf(operations, above)
  const known = shippedOnes.get(contract) ?? new Map<string, Promise<ScenarioDocument>>()
  shippedOnes.set(contract, known)
  const finish = readings
    ? (await import('./overriding.ts')).overriding(readings, operations)
    : (document: ScenarioDocument) => document

  async function loadFile(file: string, text?: string): Promise<Scenario> {
    await stat(file).catch((error: NodeJS.ErrnoException) => {
      throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`, {
        cause: error,
      })
    })
    const references = await referencesOf(operations, above, [{ path: dirname(file), mayBeMissing: true }])
    const source = text === undefined ? { file: resolve(file), shown: file } : { text, file }
    return { name: basename(file, extname(file)), document: finish(await read(source, references)) }
  }

  return {
    async list() {
      const { readDescription } = await import('./readScenario.ts')
      const { scenarios } = await referencesNow()
      return Promise.all(
        namesOf(scenarios).map(async (name) => ({
          name,
          description: await readDescription(fileOf(scenarios, name)).catch(
            (error: Error) => `Can't be read: ${error.message.split('\n', 1)[0]}`,
          ),
        })),
      )
    },
    async load(name) {
      const references = await referencesNow()
      const file = fileOf(references.scenarios, name)
      // A user's folder may have what a shipped scenario extends or includes.
      if (folder !== undefined) return { name, document: finish(await read({ file }, references)) }
      const document = known.get(name) ?? readShipped(name, file, references, contract)
      known.set(name, document)
      return { name, document: finish(await document) }
    },
    loadFile,
    read: async (text, name) => ({
      name,
      document: finish(await read({ text, file: name }, await referencesNow())),
    }),
    issuesOf: (file) =>
      loadFile(file).then(
        () => [],
        (error: unknown) => {
          if (error instanceof ScenarioError) return error.issues
          if (error instanceof UnknownScenario) return [{ file, path: '', message: error.message }]
          throw error
        },
      ),
  }
}

/** Lazily, as most starts need no parser. */
async function read(source: Source, references: References): Promise<ScenarioDocument> {
  const { readScenario } = await import('./readScenario.ts')
  return readScenario(source, references)
}

/** What the build has made of it, unless the contract is another. */
async function readShipped(
  name: string,
  file: string,
  references: References,
  contract: Contract,
): Promise<ScenarioDocument> {
  return compiled !== undefined && contract === (await loadContract())
    ? (JSON.parse(await readFile(join(compiled, `${name}.json`), 'utf8')) as ScenarioDocument)
    : read({ file }, references)
}

/** The shipped scenarios by name, for the build. */
export async function readShippedScenarios(contract: Contract): Promise<Map<string, ScenarioDocument>> {
  const library = await openScenarioLibrary(contract)
  const scenarios = new Map<string, ScenarioDocument>()
  for (const { name } of await library.list()) scenarios.set(name, (await library.load(name)).document)
  return scenarios
}

/** What is in folders over the shipped ones, and below them, each with its `fixtures`. */
async function referencesOf(
  operations: References['operations'],
  above: readonly Folder[],
  below: readonly Folder[] = [],
): Promise<References> {
  const fixturesOf = ({ path }: Folder): Folder => ({ path: join(path, 'fixtures'), mayBeMissing: true })
  return {
    scenarios: await indexFolders('scenario', [...above, { path: shipped('scenarios') }, ...below]),
    fixtures: await indexFolders('fixture', [
      ...above.map(fixturesOf),
      { path: shipped('fixtures') },
      ...below.map(fixturesOf),
    ]),
    operations,
  }
}
