import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { folder } from './start.ts'

/** A mutable node of an OpenAPI document. */
export interface Node {
  [key: string]: Node
}

const written = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const shipped = load(written, { schema: CORE_SCHEMA })

/** Writes an altered copy of the contract to a file that is removed at the end of the test. */
export function alteredContract(alter: (document: Node) => void): string {
  const document = structuredClone(shipped) as Node
  alter(document)
  return contractFile(JSON.stringify(document))
}

/** Writes a text to a file. */
export function contractFile(text: string): string {
  const file = join(folder(), 'openapi.yaml')
  writeFileSync(file, text)
  return file
}

/** Returns the node at a path. @throws if it doesn't exist */
export function at(document: Node, ...path: string[]): Node {
  let node = document
  for (const key of path) {
    const next = node[key]
    if (next === undefined) throw new Error(`There is no ${path.join(' → ')} in the contract.`)
    node = next
  }
  return node
}

/** Replaces the content of a document. */
export function set(node: Node, key: string, value: unknown): void {
  node[key] = value as Node
}
