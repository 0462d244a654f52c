import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { packagePath } from '../lib/files.ts'
import type { Issue } from '../lib/Issue.ts'
import { UserError } from '../lib/UserError.ts'
import type { References } from './mergeScenario.ts'
import { indexNames } from './NameIndex.ts'
import type { Interpretations, ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'
import { loadChecks } from './onDemand.ts'

/** Folder of the bundled scenarios, merged and checked by the build, so that most starts need neither parser nor schema. */
const bundledFolder = import.meta.url.endsWith('.ts') ? undefined : packagePath('dist/scenarios')

/** The bundled scenarios by name. They don't change at runtime. */
const bundledScenarios = new Map<string, ScenarioDocument>()

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
   * @param text the text of the file, if it was already read, because a pipe can't be read twice
   * @throws ScenarioError
   */
  loadFile: (file: string, text?: string) => Promise<Scenario>
  /** Parses a scenario. @param mustBeJson whether YAML is refused @throws ScenarioError */
  read: (text: string, name: string, mustBeJson?: boolean) => Promise<Scenario>
  /** Returns the issues of a file and of the files that it extends or includes; empty if it is valid. */
  check: (file: string) => Promise<readonly Issue[]>
}

/**
 * Opens the bundled scenarios and the scenarios in a user's folder, which take precedence. Files are read on demand,
 * so an invalid file doesn't affect the others.
 * @param userFolder the user's folder
 * @param interpretations override the interpretations in every scenario
 * @throws UserError if the folder or an interpretation doesn't exist
 */
export async function openScenarioLibrary(
  contract: Contract,
  userFolder?: string,
  interpretations?: Interpretations,
): Promise<ScenarioLibrary> {
  if (userFolder !== undefined) await readdir(userFolder).catch((cause) => refuseFolder(userFolder, cause))
  const userFolders = userFolder === undefined ? [] : [resolve(userFolder)] // the working directory may change
  const isBundledUnchanged = userFolder === undefined // which may shadow files that bundled scenarios refer to
  const applyInterpretations = interpretations
    ? (await loadChecks()).overrideAssumptions(interpretations)
    : (document: ScenarioDocument) => document
  const findReferences = (...fallbacks: string[]) => indexReferences(userFolders, fallbacks, contract)

  async function readByName(name: string): Promise<ScenarioDocument> {
    const references = await findReferences()
    const file = references.scenarios.findFile(name)
    return isBundledUnchanged && bundledFolder !== undefined
      ? (JSON.parse(await readFile(join(bundledFolder, `${name}.json`), 'utf8')) as ScenarioDocument)
      : (await loadChecks()).readScenario(file, references)
  }

  async function loadFile(file: string, text?: string): Promise<Scenario> {
    const document = await (await loadChecks()).readScenario(file, await findReferences(dirname(file)), text)
    return { name: basename(file, extname(file)), document: applyInterpretations(document) }
  }

  return {
    async list() {
      const { readDescription } = await loadChecks()
      const { scenarios } = await findReferences()
      return Promise.all(
        scenarios.names.map(async (name) => ({
          name,
          description: await readDescription(scenarios.findFile(name)).catch(
            (error: Error) => `Can't be read: ${error.message.split('\n', 1)[0]}`,
          ),
        })),
      )
    },
    async load(name) {
      const document = (isBundledUnchanged && bundledScenarios.get(name)) || (await readByName(name))
      if (isBundledUnchanged) bundledScenarios.set(name, document)
      return { name, document: applyInterpretations(document) }
    },
    loadFile,
    async read(text, name, mustBeJson) {
      const document = await (await loadChecks()).readScenario(name, await findReferences(), text, mustBeJson)
      return { name, document: applyInterpretations(document) }
    },
    check: (file) =>
      loadFile(file).then(
        () => [],
        (error: unknown) => {
          if (error instanceof ScenarioError) return error.issues
          throw error
        },
      ),
  }
}

function refuseFolder(folder: string, cause: NodeJS.ErrnoException): never {
  const problem = `The scenario folder ${folder} can't be read (${cause.code}).`
  throw new UserError(problem, { advice: 'Choose an existing folder.', cause })
}

/** Folders are read each time, because files may be added or removed. */
async function indexReferences(
  userFolders: readonly string[],
  fallbacks: readonly string[],
  { operations }: Contract,
): Promise<References> {
  const folders = [...userFolders, packagePath('scenarios'), ...fallbacks]
  const fixtures = [...userFolders, packagePath(''), ...fallbacks].map((folder) => join(folder, 'fixtures'))
  return {
    scenarios: await indexNames('scenario', folders),
    fixtures: await indexNames('fixture', fixtures),
    operations,
  }
}
