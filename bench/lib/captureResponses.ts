import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProduct } from './ours.ts'
import { workloads } from './Workload.ts'

/** A response of proxysim for other servers to repeat */
export interface CapturedResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Responses by the workload's name */
export type CapturedResponses = Record<string, CapturedResponse>

/** Headers that node:http sends by itself */
const transport = ['date', 'connection', 'keep-alive']

/** Sends each workload's request to proxysim once. @returns the responses, and a file that contains them */
export async function captureResponses(
  product: string,
  scenario: string,
  folder: string,
): Promise<{ file: string; responses: CapturedResponses }> {
  const server = await startProduct(product, ['--scenario', scenario, '--in-memory'])
  const responses: CapturedResponses = {}
  for (const { name, method, path, headers, body } of workloads) {
    const response = await fetch(server.url + path, {
      method,
      headers,
      body: body?.replace('{ip}', '203.0.113.7') ?? null,
    })
    responses[name] = {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([header]) => !transport.includes(header))),
      body: await response.text(),
    }
  }
  await server.stop()
  const file = join(folder, 'responses.json')
  writeFileSync(file, JSON.stringify(responses))
  return { file, responses }
}
