import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contract } from '../../contract/Contract.ts'
import { UserError } from '../../UserError.ts'
import { isObject, mergePatch } from '../../world/mergePatch.ts'
import { checkScenario } from './checkScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { ScenarioError } from './ScenarioError.ts'
import { nearest, referencesSchema } from './schema.ts'
import { readSource, type Path, type SourceText } from './SourceText.ts'

const shippedScenarios = fileURLToPath(new URL('../../../scenarios', import.meta.url))
const shippedFixtures = fileURLToPath(new URL('../../../fixtures', import.meta.url))

/** The only names that are looked up; whatever else is asked for is no scenario, and no path. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const extensions = ['.yaml', '.yml', '.json']
/** A file of this size is a state of some 100,000 services. */
const largestFile = 256 * 1024 * 1024

/** A name that is no scenario's; the message lists what there is. */
export class UnknownScenario extends UserError {}

/** A scenario that is ready to be loaded. */
export interface Scenario {
  name: string
  document: ScenarioDocument
}

export interface ScenarioLibrary {
  list: () => Promise<{ name: string; description: string }[]>
  /** @throws UnknownScenario, ScenarioError */
  load: (name: string) => Promise<Scenario>
  /** A scenario from a file of its own. @throws UnknownScenario where it can't be read, ScenarioError */
  loadFile: (file: string) => Promise<Scenario>
  /** A scenario from its text. @throws ScenarioError */
  read: (text: string, name: string) => Promise<Scenario>
}

/**
 * The scenarios that can be named: those that are shipped, and those of a folder of the user's.
 * The names are looked up once, at the start; the files are read when they are asked for.
 */
export async function openScenarioLibrary(contract: Contract, folder?: string): Promise<ScenarioLibrary> {
  const scenarios = await indexFolders([shippedScenarios, ...(folder === undefined ? [] : [folder])])
  const fixtures = await indexFolders(
    [shippedFixtures, ...(folder === undefined ? [] : [join(folder, 'fixtures')])],
    true,
  )

  function fileOf(index: ReadonlyMap<string, string>, kind: string, name: string): string {
    const file = namePattern.test(name) ? index.get(name) : undefined
    if (file !== undefined) return file
    const near = nearest(name, [...index.keys()])
    throw new UnknownScenario(
      `There is no ${kind} ${JSON.stringify(name)}${near ? `, did you mean ${JSON.stringify(near)}?` : '.'} There are: ${[...index.keys()].toSorted().join(', ') || 'none'}.`,
    )
  }

  /** A text with all that it extends and includes; `layers` are the texts, the uppermost first. */
  async function merge(
    source: SourceText,
    under: readonly string[],
  ): Promise<{ value: Record<string, unknown>; layers: SourceText[] }> {
    const references = referencesSchema.safeParse(source.value)
    if (!references.success)
      throw new ScenarioError(
        references.error.issues.map((issue) =>
          source.problem(issue.path as Path, `must be ${issue.message}`),
        ),
      )
    const { extends: parent, fixtures: included = [] } = references.data
    const layers = [source]
    let value: Record<string, unknown> = {}
    if (parent !== undefined) {
      if (under.includes(parent))
        throw new ScenarioError([
          source.problem(
            ['extends'],
            `${parent} extends this scenario itself (${[...under, parent].join(' → ')})`,
          ),
        ])
      const base = await merge(await readNamed(scenarios, 'scenario', parent, source, ['extends']), [
        ...under,
        parent,
      ])
      value = base.value
      layers.push(...base.layers)
    }
    const { extends: _extends, fixtures: _fixtures, $schema: _schema, ...own } = source.value
    const accounts = new Set([...keysOf(value['accounts']), ...keysOf(own['accounts'])])
    for (const [i, name] of included.entries()) {
      const fixture = await readNamed(fixtures, 'fixture', name, source, ['fixtures', i])
      layers.push(fixture)
      const { $schema: _s, ...records } = structuredClone(fixture.value)
      // A fixture holds records of an account (products, clients…); every account of the scenario gets them.
      for (const login of accounts)
        if (!nullAt(own, login)) mergePatch(value, { accounts: { [login]: structuredClone(records) } })
    }
    rejectVainRemovals(source, own, value)
    return { value: mergePatch(value, own) as Record<string, unknown>, layers }
  }

  async function readNamed(
    index: ReadonlyMap<string, string>,
    kind: string,
    name: string,
    from: SourceText,
    path: Path,
  ): Promise<SourceText> {
    try {
      return await readSourceFile(fileOf(index, kind, name))
    } catch (error) {
      if (error instanceof UnknownScenario) throw new ScenarioError([from.problem(path, error.message)])
      throw error
    }
  }

  async function finish(source: SourceText, name: string): Promise<Scenario> {
    const { value, layers } = await merge(source, [name])
    const mistakes = checkScenario(value, contract)
    if (typeof source.value['description'] !== 'string')
      mistakes.unshift({
        path: ['description'],
        message: 'is required: one line on what this scenario shows',
      })
    if (mistakes.length)
      throw new ScenarioError(
        mistakes
          .map(({ path, message }) =>
            (layers.find((layer) => layer.has(path)) ?? source).problem(path, message),
          )
          .filter(unlike),
      )
    return { name, document: value as unknown as ScenarioDocument }
  }

  return {
    async list() {
      const names = [...scenarios.keys()].toSorted()
      return Promise.all(
        names.map(async (name) => {
          const { description } = await readSourceFile(scenarios.get(name) as string).then(
            ({ value }) => value,
            (error: Error) => ({ description: `can't be read: ${error.message}` }),
          )
          return { name, description: String(description ?? '') }
        }),
      )
    },
    load: async (name) => finish(await readSourceFile(fileOf(scenarios, 'scenario', name)), name),
    async loadFile(file) {
      const about = await stat(file).catch((error: NodeJS.ErrnoException) => {
        throw new UnknownScenario(`The scenario file ${file} can't be read (${error.code}).`)
      })
      if (!about.isFile()) throw new UnknownScenario(`${file} is not a file.`)
      return finish(await readSourceFile(resolve(file), file), basename(file, extname(file)))
    },
    read: async (text, name) => finish(readSource(text, name), name),
  }
}

async function readSourceFile(file: string, shown = file): Promise<SourceText> {
  const { size } = await stat(file)
  if (size > largestFile)
    throw new ScenarioError([
      { file: shown, path: '', message: `it has ${size} bytes; at most ${largestFile} are read` },
    ])
  return readSource(await readFile(file, 'utf8'), shown)
}

/** Name → file; a later folder's files stand before an earlier one's of the same name. */
async function indexFolders(folders: readonly string[], mayBeMissing = false): Promise<Map<string, string>> {
  const index = new Map<string, string>()
  for (const [i, folder] of folders.entries()) {
    const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (i > 0 && mayBeMissing) return []
      throw new UnknownScenario(`The folder of scenarios ${folder} can't be read (${error.code}).`)
    })
    for (const file of files) {
      const name = basename(file, extname(file))
      if (extensions.includes(extname(file)) && namePattern.test(name)) index.set(name, join(folder, file))
    }
  }
  return index
}

/** A null removes; where there is nothing to remove, a name was probably mistyped. */
function rejectVainRemovals(
  source: SourceText,
  own: Record<string, unknown>,
  base: Record<string, unknown>,
): void {
  const problems = vainRemovals(own, base, []).map((path) =>
    source.problem(path, 'null removes, but there is nothing here to remove'),
  )
  if (problems.length) throw new ScenarioError(problems)
}

function vainRemovals(patch: Record<string, unknown>, base: Record<string, unknown>, at: Path): Path[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const old = Object.hasOwn(base, key) ? base[key] : undefined
    if (value === null) return old === undefined ? [[...at, key]] : []
    if (key === 'respond' || key === 'match') return [] // a body may hold nulls of its own
    return isObject(value) ? vainRemovals(value, isObject(old) ? old : {}, [...at, key]) : []
  })
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : []
}

function nullAt(own: Record<string, unknown>, login: string): boolean {
  return isObject(own['accounts']) && own['accounts'][login] === null
}

/** Whether a name on the command line is a path to a file. */
export function isFile(name: string): boolean {
  return extensions.includes(extname(name)) || dirname(name) !== '.'
}

function unlike<T extends { path: string; message: string }>(one: T, i: number, all: readonly T[]): boolean {
  return all.findIndex((other) => other.path === one.path && other.message === one.message) === i
}
