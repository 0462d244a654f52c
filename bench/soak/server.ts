/** The simulator that is soaked: tells its parent its address, and its memory when asked. Run with --expose-gc. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'proxysim-soak-'))
const { url, close } = await startServer({ db: join(folder, 'db.json'), logLevel: 'warn' })

process.on('message', (question) => {
  if (question === 'memory') {
    globalThis.gc?.()
    process.send?.(process.memoryUsage())
  } else
    void close().then(() => {
      rmSync(folder, { recursive: true, force: true })
      process.exit(0)
    })
})
process.on('disconnect', () => process.exit(1))
process.send?.({ url })
