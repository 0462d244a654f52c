/** A simulator in a process of its own: `node --import tsx server.ts '{"db":"…"}'`. Prints its address once it listens. */
import { startServer } from '../../../src/server.ts'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'

try {
  const running = await startServer({
    logLevel: 'warn',
    ...(JSON.parse(process.argv[2] ?? '{}') as SimulatorOptions),
  })
  process.on('SIGTERM', () => {
    running.close().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`)
        process.exit(1)
      },
    )
  })
  process.stdout.write(`${running.url}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(2)
}
