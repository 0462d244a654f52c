// The thread of parseYamlAside.ts.
import { parentPort } from 'node:worker_threads'
import { parseYaml } from './parseYaml.ts'

parentPort?.on('message', (text: string) => {
  const parsed = parseYaml(text)
  parentPort?.postMessage(parsed, 'places' in parsed ? [parsed.places.buffer] : [])
})
