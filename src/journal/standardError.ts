import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const fd = 2
/** Milliseconds until a reader that is slow is tried again; at the end, until it is given up: without progress, and at all */
const retryAfter = 100
const patience = 1000
const grace = 5000
/** Bytes that are kept for a reader who is slow */
const most = 1024 * 1024

let waiting: Buffer[] = []
/** Bytes that are waiting or being written */
let kept = 0
let isWriting = false

/**
 * Standard error without its risks to the program: one that is slow, or not read at all, doesn't hold up requests; what
 * can't be written, e.g. as the disk is full, is dropped, and so are new lines while too much is waiting. A process has
 * only one, whatever it starts. Pino's own destination keeps a line that can't be written, emits an error that ends the
 * process, and tries for ever to write it at the exit.
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

process.on('exit', writeRest)

function writeNext(): void {
  const bytes = takeAll()
  isWriting = bytes.length > 0
  if (!isWriting) return
  write(fd, bytes, (error, written) => {
    const isBusy = error?.code === 'EAGAIN'
    const done = isBusy ? 0 : error ? bytes.length : written // what can't be written is dropped
    kept -= done
    if (done < bytes.length) waiting.unshift(bytes.subarray(done))
    if (isBusy) setTimeout(writeNext, retryAfter).unref()
    else writeNext()
  })
}

function writeRest(): void {
  let bytes = takeAll()
  const end = performance.now() + grace
  let until = performance.now() + patience
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
      until = Math.min(performance.now() + patience, end)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfter)
    }
  }
}

function takeAll(): Buffer {
  const bytes = Buffer.concat(waiting)
  waiting = []
  return bytes
}
