/**
 * Loaded before a simulator: a disk that can be told to fail, and that tells what it confirmed. It stands in for the
 * system's calls; what is ours is as it is.
 * - While the file DISK_BROKEN names is there, no wait for the disk succeeds.
 * - Each wait that did is a line `synced PATH` on standard error.
 */
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { fdatasync } = fs

function isBroken(): boolean {
  return fs.existsSync(process.env['DISK_BROKEN'] ?? '')
}

function failure(): Error {
  return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5 })
}

function tell(fd: number): void {
  process.stderr.write(`synced ${fs.readlinkSync(`/proc/self/fd/${fd}`)}\n`)
}

Object.assign(fs, {
  fdatasync: (fd: number, done: (error: Error | null) => void) =>
    fdatasync(fd, (error) => {
      if (isBroken()) return done(failure())
      if (!error) tell(fd)
      done(error)
    }),
})
syncBuiltinESMExports()

const handle = await open(process.execPath)
const prototype = Object.getPrototypeOf(handle) as typeof handle
const sync: () => Promise<void> = Reflect.get(prototype, 'sync')
Object.assign(prototype, {
  async sync(this: typeof handle) {
    if (isBroken()) throw failure()
    await sync.call(this)
    tell(this.fd)
  },
})
await handle.close()
