import { write, writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const fd = 2
/** Milliseconds until a reader that is slow is tried again, and for how long at the end */
const retryAfter = 100
const patience = 1000

let waiting: Buffer[] = []
let isWriting = false

/**
 * Standard error without its risks to the program: one that is slow, or not read at all, doesn't hold up requests, and
 * what can't be written, e.g. as the disk is full, is dropped. A process has only one, whatever it starts. Pino's own
 * destination keeps such a line, emits an error that ends the process, and tries for ever to write it at the exit.
 */
export const standardError: DestinationStream = {
  write(line) {
    waiting.push(Buffer.from(line))
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
    if (isBusy) waiting.unshift(bytes)
    else if (!error && written < bytes.length) waiting.unshift(bytes.subarray(written))
    if (isBusy) setTimeout(writeNext, retryAfter).unref()
    else writeNext()
  })
}

function writeRest(): void {
  let bytes = takeAll()
  const until = performance.now() + patience
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
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
