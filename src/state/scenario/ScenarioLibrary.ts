import { stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contract } from '../../contract/Contract.ts'
import { checkScenario } from './checkScenario.ts'
import { mergeScenario, type Names } from './mergeScenario.ts'
import { isFile, NameIndex, UnknownScenario } from './NameIndex.ts'
import { readSourceFile } from './readSourceFile.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError, type ScenarioProblem } from './ScenarioError.ts'
import { readSource, type SourceText } from './SourceText.ts'

export { isFile, UnknownScenario }

const shippedScenarios = fileURLToPath(new URL('../../../scenarios', import.meta.url))
const shippedFixtures = fileURLToPath(new URL('../../../fixtures', import.meta.url))

/** Mistakes that are told at once */
const mostProblems = 50

/** A scenario that is ready to be loaded. */
export interface Scenario {
  name: string
  document: ScenarioDocument
}

export interface ScenarioLibrary {
  list: () => Promise<{ name: string; description: string }[]>
  /** @throws UnknownScenario, ScenarioError */
  load: (name: string) => Promise<Scenario>
  /**
   * A scenario from a file of its own. It may extend those that can be named, and its neighbours.
   * @throws UnknownScenario where it can't be read, ScenarioError
   */
  loadFile: (file: string) => Promise<Scenario>
  /** A scenario from its text. @throws ScenarioError */
  read: (text: string, name: string) => Promise<Scenario>
}

/**
 * The scenarios that can be named: those that are shipped, and those of a folder of the user's, which stand before
 * shipped ones of the same name. The files are read when they are asked for: a broken one is in nobody's way.
 */
export async function openScenarioLibrary(contract: Contract, folder?: string): Promise<ScenarioLibrary> {
  const names = await indexNames(folder)

  async function finish(source: SourceText, name: string, among: Names = names): Promise<Scenario> {
    const { value, problems, problem } = await mergeScenario(source, among)
    const mistakes = checkScenario(
      { ...value, description: source.value['description'] ?? undescribed },
      contract,
    )
    const found = [...describedItself(source), ...problems, ...mistakes.slice(0, mostProblems).map(problem)]
    if (found.length)
      throw new ScenarioError(limited(found, found.length + Math.max(0, mistakes.length - mostProblems)))
    return { name, document: value as unknown as ScenarioDocument }
  }

  return {
    list: () =>
      Promise.all(
        names.scenarios.names.map(async (name) => ({
          name,
          description: await descriptionOf(names.scenarios.file(name)),
        })),
      ),
    load: async (name) => finish(await readSourceFile(names.scenarios.file(name)), name),
    async loadFile(file) {
      const about = await stat(file).catch((error: NodeJS.ErrnoException) => {
        throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`)
      })
      if (!about.isFile()) throw new UnknownScenario(`${file} is not a file.`)
      const beside = dirname(resolve(file))
      return finish(await readSourceFile(resolve(file), file), basename(file, extname(file)), {
        scenarios: await names.scenarios.over(beside),
        fixtures: await names.fixtures.over(join(beside, 'fixtures')),
      })
    },
    read: async (text, name) => finish(readSource(text, name), name),
  }
}

async function indexNames(folder: string | undefined): Promise<Names> {
  const scenarios = await new NameIndex('scenario').add(shippedScenarios)
  const fixtures = await new NameIndex('fixture').add(shippedFixtures)
  if (folder === undefined) return { scenarios, fixtures }
  await scenarios.add(folder)
  await fixtures.add(join(folder, 'fixtures'), { mayBeMissing: true })
  return { scenarios, fixtures }
}

const undescribed = 'not described'

/** A scenario describes itself: what it extends is described by its own words. */
function describedItself(source: SourceText): ScenarioProblem[] {
  return (source.value['description'] ?? undefined) === undefined
    ? [source.problem(['description'], 'is required: one line on what this scenario shows', true)]
    : []
}

async function descriptionOf(file: string): Promise<string> {
  try {
    const { description } = (await readSourceFile(file)).value
    return typeof description === 'string' ? description : 'has no description'
  } catch (error) {
    return `can't be read: ${(error as Error).message.split('\n', 1)[0]}`
  }
}

/** In the order of the text, and no more than anybody reads. */
function limited(problems: readonly ScenarioProblem[], total: number): ScenarioProblem[] {
  const sorted = problems
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    .slice(0, mostProblems)
  const [first] = sorted
  return first && total > sorted.length
    ? [
        ...sorted,
        { file: first.file, path: '', message: `and at least ${total - sorted.length} mistakes more` },
      ]
    : sorted
}
