import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { CapturedResponse, CapturedResponses } from '../lib/captureResponses.ts'
import { workloads } from '../lib/Workload.ts'

interface Content {
  example?: unknown
  examples?: unknown
}
interface Operation {
  responses: Record<string, { content?: Record<string, Content> }>
}

/** Writes our contract with our responses as examples, so that tools that return examples send the same bytes. */
export async function writeContract(responses: CapturedResponses, folder: string): Promise<string> {
  const document = structuredClone((await loadContract()).document) as unknown as {
    paths: Record<string, Record<string, Operation>>
  }
  for (const { name, method, path, status } of workloads) {
    if (status !== 200) continue
    const template = path.replace(/\/\d+$/, /product/.test(path) ? '/{pid}' : '/{id}')
    const content = document.paths[template]?.[method.toLowerCase()]?.responses['200']?.content
    const media = content?.['application/json']
    if (!media) throw new Error(`The contract has no response for ${method} ${template}.`)
    delete media.examples
    media.example = JSON.parse((responses[name] as CapturedResponse).body)
  }
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}
