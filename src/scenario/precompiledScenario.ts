import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Contract } from '../contract/Contract.ts'
import { shipped } from '../packageRoot.ts'
import type { ReadScenario } from './readScenario.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'

/** Where the build puts the scenarios that it has read, merged and checked. */
const folder = shipped('dist/precompiled/scenarios/')
const root = shipped('')

/** A scenario as the build has read it, and what it was read from: where any of that is another now, it is stale. */
interface Precompiled {
  contract: string
  /** Path in the package → digest */
  sources: Record<string, string>
  document: ScenarioDocument
}

/** @returns a file's name and content */
export async function precompileScenario(
  name: string,
  { document, files }: ReadScenario,
  contract: Contract,
): Promise<{ file: string; text: string }> {
  const sources = Object.fromEntries(
    await Promise.all(
      files.map(async (file) => [relative(root, file), digestOf(await readFile(file))] as const),
    ),
  )
  const content: Precompiled = { contract: digestOf(contract.source), sources, document }
  return { file: `${name}.json`, text: JSON.stringify(content) }
}

/**
 * A shipped scenario without reading YAML and checking it: that takes a good part of a start.
 * @returns undefined where it is not there, or is of other sources
 */
export async function precompiledScenario(
  name: string,
  contract: Contract,
): Promise<ScenarioDocument | undefined> {
  const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { contract: digest, sources, document } = JSON.parse(text) as Precompiled
  if (digest !== digestOf(contract.source)) return undefined
  const isFresh = await Promise.all(
    Object.entries(sources).map(async ([file, expected]) => {
      if (isAbsolute(file)) return false
      const bytes = await readFile(join(root, file)).catch(() => undefined)
      return bytes !== undefined && digestOf(bytes) === expected
    }),
  )
  return isFresh.every(Boolean) ? document : undefined
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
