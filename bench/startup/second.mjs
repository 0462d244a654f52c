// Milliseconds that a second simulator in one process takes, its first answer included.
import { pathToFileURL } from 'node:url'

const { startSimulator } = await import(pathToFileURL(`${process.argv[2]}/dist/index.js`).href)

async function start() {
  const began = performance.now()
  const simulator = await startSimulator()
  const response = await fetch(`${simulator.url}/__admin/health`)
  await response.arrayBuffer()
  const took = performance.now() - began
  await simulator.close()
  return took
}

await start()
process.stdout.write(String(await start()))
