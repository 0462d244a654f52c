import { request } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workloads, type Workload } from './Workload.ts'
import { startOurs } from './ours.ts'

/** An answer of ours, for the bare servers to repeat. */
export interface CapturedAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Asks our server each workload's request once. @returns a file with the answers by the workload's name */
export async function captureAnswers(product: string, scenario: string, folder: string): Promise<string> {
  const server = await startOurs(product, { scenario })
  const answers: Record<string, CapturedAnswer> = {}
  for (const workload of workloads) answers[workload.name] = await ask(server.url, workload)
  await server.stop()
  const file = join(folder, 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  return file
}

/** Headers that node:http gives by itself */
const transport = ['date', 'connection', 'keep-alive']

function ask(url: string, { method, path, headers, body }: Workload): Promise<CapturedAnswer> {
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers)
              .filter(([name]) => !transport.includes(name))
              .map(([name, value]) => [name, String(value)]),
          ),
          body: Buffer.concat(pieces).toString(),
        }),
      )
    })
      .on('error', reject)
      .end(body?.replace('{ip}', '203.0.113.7'))
  })
}
