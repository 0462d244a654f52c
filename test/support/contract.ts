import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { createFolder } from './start.ts'

/** A mutable node of an OpenAPI document. */
export interface Node {
  [key: string]: Node
}

const contractText = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const shipped = load(contractText, { schema: CORE_SCHEMA })

/** Writes an altered copy of the contract to a file that is removed at the end of the test. @returns its path */
export function writeAlteredContract(alter: (document: Node) => void): string {
  const document = structuredClone(shipped) as Node
  alter(document)
  return writeContract(JSON.stringify(document))
}

/** Writes the text of a contract to a file that is removed at the end of the test. @returns its path */
export function writeContract(text: string): string {
  const file = join(createFolder(), 'openapi.yaml')
  writeFileSync(file, text)
  return file
}

/** Returns the node at a path. @throws if it doesn't exist */
export function getNode(document: Node, ...path: string[]): Node {
  let node = document
  for (const key of path) {
    const next = node[key]
    if (next === undefined) throw new Error(`There is no ${path.join(' → ')} in the contract.`)
    node = next
  }
  return node
}

/** Sets a field of a node to any value. */
export function setNode(node: Node, key: string, value: unknown): void {
  node[key] = value as Node
}
