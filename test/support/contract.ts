import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { folder } from './start.ts'

/** A node of an OpenAPI document, to be altered. */
export interface Node {
  [key: string]: Node
}

const written = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const shipped = load(written, { schema: CORE_SCHEMA })

/** A file with a copy of the contract, altered; it is gone at the end of the test. */
export function alteredContract(alter: (document: Node) => void): string {
  const document = structuredClone(shipped) as Node
  alter(document)
  return contractFile(JSON.stringify(document))
}

/** A file with this text. */
export function contractFile(text: string): string {
  const file = join(folder(), 'openapi.yaml')
  writeFileSync(file, text)
  return file
}

/** The node at a path; it must be there. */
export function at(document: Node, ...path: string[]): Node {
  let node = document
  for (const key of path) {
    const next = node[key]
    if (next === undefined) throw new Error(`There is no ${path.join(' → ')} in the contract.`)
    node = next
  }
  return node
}

/** Sets what a document holds, whatever was there. */
export function set(node: Node, key: string, value: unknown): void {
  node[key] = value as Node
}
