import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { loadContract } from '../contract/loadContract.ts'
import { shipped } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import { UserError } from '../lib/UserError.ts'
import type { References } from './mergeScenario.ts'
import { NameIndex, UnknownScenario } from './NameIndex.ts'
import type { Readings, ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'

/** Where the build puts the shipped scenarios, merged and checked, so that most starts need neither parser nor schema. */
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
const shippedScenarios = new WeakMap<Contract, Map<string, ScenarioDocument>>()

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
  if (given !== undefined)
    await readdir(given).catch((error: NodeJS.ErrnoException) => {
      throw new UserError(`The folder of scenarios ${given} can't be read (${error.code}).`, { cause: error })
    })
  const above = given === undefined ? [] : [resolve(given)] // the working directory may change
  const known = shippedScenarios.get(contract) ?? new Map<string, ScenarioDocument>()
  shippedScenarios.set(contract, known)
  const finish = readings
    ? (await import('./overriding.ts')).overriding(readings)
    : (document: ScenarioDocument) => document

  /** Files may come and go, so folders are read each time. */
  async function references(...below: string[]): Promise<References> {
    const folders = [...above, shipped('scenarios'), ...below]
    const fixtures = [...above, shipped(''), ...below].map((folder) => join(folder, 'fixtures'))
    return {
      scenarios: await NameIndex.of('scenario', folders),
      fixtures: await NameIndex.of('fixture', fixtures),
      operations: contract.operations,
    }
  }

  async function read(file: string, text?: string, ...below: string[]): Promise<ScenarioDocument> {
    const { readScenario } = await import('./readScenario.ts') // lazily, as most starts need no parser
    return readScenario(file, await references(...below), text)
  }

  async function readNamed(name: string): Promise<ScenarioDocument> {
    const file = (await references()).scenarios.fileOf(name)
    // A user's folder may have what a shipped scenario extends or includes, and another contract other operations.
    if (above.length > 0 || compiled === undefined || contract !== (await loadContract())) return read(file)
    return JSON.parse(await readFile(join(compiled, `${name}.json`), 'utf8')) as ScenarioDocument
  }

  async function loadFile(file: string, text?: string): Promise<Scenario> {
    await stat(file).catch((error: NodeJS.ErrnoException) => {
      throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`, { cause: error })
    })
    return { name: basename(file, extname(file)), document: finish(await read(file, text, dirname(file))) }
  }

  return {
    async list() {
      const { readDescription } = await import('./readScenario.ts')
      const { scenarios } = await references()
      return Promise.all(
        scenarios.names.map(async (name) => ({
          name,
          description: await readDescription(scenarios.fileOf(name)).catch(
            (error: Error) => `Can't be read: ${error.message.split('\n', 1)[0]}`,
          ),
        })),
      )
    },
    async load(name) {
      const document = (above.length === 0 && known.get(name)) || (await readNamed(name))
      if (above.length === 0) known.set(name, document)
      return { name, document: finish(document) }
    },
    loadFile,
    read: async (text, name) => ({ name, document: finish(await read(name, text)) }),
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

/** The shipped scenarios by name, for the build. */
export async function readShippedScenarios(contract: Contract): Promise<Map<string, ScenarioDocument>> {
  const library = await openScenarioLibrary(contract)
  const scenarios = new Map<string, ScenarioDocument>()
  for (const { name } of await library.list()) scenarios.set(name, (await library.load(name)).document)
  return scenarios
}
