import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const fd = 2
/** Milliseconds until a reader that is slow is tried again; at the end, until it is given up */
const retryAfter = 100
const patience = 1000
/** Bytes that are kept for such a reader */
const most = 1024 * 1024

let waiting: Buffer[] = []
let kept = 0
let isWriting = false

/**
 * Standard error without its risks to the program: one that is slow, or not read at all, doesn't hold up requests; what
 * can't be written, e.g. as the disk is full, is dropped, and so are new lines while too much is waiting. Pino's own
 * destination keeps a line that can't be written, and emits an error that ends the process.
 */
export const standardError: DestinationStream = {
  write(line) {
    const bytes = Buffer.from(line)
    if (kept > 0 && kept + bytes.length > most) return
    waiting.push(bytes)
    kept += bytes.length
    if (!isWriting) writeNext()
  },
}

process.on('exit', () => {
  const end = performance.now() + patience
  let bytes = takeAll()
  while (bytes.length > 0 && performance.now() < end) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfter)
    }
  }
})

function writeNext(): void {
  const bytes = takeAll()
  isWriting = bytes.length > 0
  if (!isWriting) return
  write(fd, bytes, (error, written) => {
    const isBusy = error?.code === 'EAGAIN'
    const rest = bytes.subarray(isBusy ? 0 : error ? bytes.length : written)
    if (rest.length > 0) waiting.unshift(rest)
    kept -= bytes.length - rest.length
    if (isBusy) setTimeout(writeNext, retryAfter).unref()
    else writeNext()
  })
}

function takeAll(): Buffer {
  const bytes = Buffer.concat(waiting)
  waiting = []
  return bytes
}
