import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadContract } from '../../src/contract/loadContract.ts'
import type { CapturedAnswer } from '../lib/captureAnswers.ts'
import { workloads } from '../lib/Workload.ts'

interface Content {
  example?: unknown
  examples?: unknown
}
interface Operation {
  responses: Record<string, { content?: Record<string, Content> }>
}

/** Our contract, references resolved, with what we answer as its examples, so that those that make answers of it send the same bytes. */
export async function contractWithAnswers(
  answers: Record<string, CapturedAnswer>,
  folder: string,
): Promise<string> {
  const document = structuredClone((await loadContract()).document) as unknown as {
    paths: Record<string, Record<string, Operation>>
  }
  for (const { name, method, path, status } of workloads) {
    if (status !== 200) continue
    const template = path.replace(/\/\d+$/, /product/.test(path) ? '/{pid}' : '/{id}')
    const content = document.paths[template]?.[method.toLowerCase()]?.responses['200']?.content
    const media = content?.['application/json']
    if (!media) throw new Error(`the contract has no answer for ${method} ${template}`)
    delete media.examples
    media.example = JSON.parse((answers[name] as CapturedAnswer).body)
  }
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}
