import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { shipped } from '../lib/files.ts'

/** Where the build puts the shipped documents as JSON, named after the digest of their text. */
const folder = shipped('dist/precompiled/')

/** File name of a document's JSON: the digest of its text, so that a copy is never stale. */
export function precompiledName(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`
}

/**
 * The value of a YAML text that the build has parsed already: parsing the contract takes half of the startup time.
 * @returns undefined if there is no copy (another document, or not built)
 */
export async function precompiled(text: string): Promise<unknown> {
  const json = await readFile(`${folder}${precompiledName(text)}`, 'utf8').catch(() => undefined)
  return json === undefined ? undefined : (JSON.parse(json) as unknown)
}
