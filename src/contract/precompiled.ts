import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { shipped } from '../packageRoot.ts'

/** Where the build puts the JSON of the documents that the package ships, by the digest of their text. */
const folder = shipped('dist/precompiled/')

/** Name of the JSON copy of a document: its text's digest, so that a copy is never older than the document. */
export function precompiledName(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`
}

/**
 * The value of a YAML text that the build has read already: parsing the contract takes half of the time of a start.
 * @returns undefined where there is no copy (another document, or not built)
 */
export async function precompiled(text: string): Promise<unknown> {
  const json = await readFile(`${folder}${precompiledName(text)}`, 'utf8').catch(() => undefined)
  return json === undefined ? undefined : (JSON.parse(json) as unknown)
}
