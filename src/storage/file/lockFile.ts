import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { StateFileError, systemReason } from '../StorageError.ts'

/**
 * Takes a file for this process alone, by a socket beside it that listens. The kernel closes it when the process ends,
 * however it ends, and it can be reached from every container on that kernel that sees the folder.
 * @returns gives the file free again
 * @throws StateFileError that names the process that has it
 */
export async function lockFile(file: string): Promise<() => void> {
  const unlock = await takeBeside(file)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.nlink < 2) return unlock
  try {
    // There are other names of it, anywhere: all are one.
    const unlockAll = await take(file, shared(`${found.dev}.${found.ino}`))
    return () => {
      unlockAll()
      unlock()
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Where the claims to a file are, and what their names begin with. */
interface Place {
  folder: string
  start: string
}

/** Bytes of a socket's path: beyond them it is cut off, with no error. 107 on Linux, 103 elsewhere. */
const longest = 103

async function takeBeside(file: string): Promise<() => void> {
  if (process.platform === 'win32') return takePipe(file)
  const folder = dirname(file)
  const name = basename(file)
  const place = { folder, start: name.length > 40 ? `proxysim-${short(name)}.` : `${name}.` }
  const { dev, ino } = statSync(folder)
  const elsewhere = shared(`${dev}.${ino}/${name}`)
  const isLong = Buffer.byteLength(join(folder, `${nameOf(place, newTicket())}.new`)) > longest
  if (isLong && process.platform !== 'linux') return take(file, elsewhere)
  try {
    return await take(file, place)
  } catch (error) {
    if (error instanceof StateFileError) throw error
    // Some file systems have no sockets, those of other machines mostly; they say so in many ways.
    assertWritable(folder, file)
    return take(file, elsewhere)
  }
}

/** @throws StateFileError if no file can be made in a folder */
function assertWritable(folder: string, file: string): void {
  const trial = join(folder, `.proxysim-${newTicket()}`)
  try {
    writeFileSync(trial, '')
    rmSync(trial)
  } catch (error) {
    throw new StateFileError(
      `No file can be created next to ${file} (${systemReason(error)}). Name another file with --db.`,
      { cause: error },
    )
  }
}

/** In the folder of temporary files, under a name that stands for something else. */
function shared(what: string): Place {
  return { folder: tmpdir(), start: `proxysim-${short(what)}.` }
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function newTicket(): string {
  return randomBytes(8).toString('hex')
}

function nameOf({ start }: Place, ticket: string): string {
  return `${start}${ticket}.sock`
}

/**
 * Makes a claim, and asks whoever made another. A claim can be seen before its owner looks for others, so of two at
 * least one sees the other; and no two have the same name, so what a dead process left can be removed with no danger.
 * Of two that are both undecided the one with the higher ticket withdraws, and waits for how it ends.
 */
async function take(file: string, place: Place): Promise<() => void> {
  for (;;) {
    const claim = await Claim.make(place)
    try {
      if (await claim.prevails(file)) return () => claim.withdraw()
    } catch (error) {
      claim.withdraw()
      throw error
    }
  }
}

/** What a claim tells whoever asks. */
interface Claimant {
  ticket: string
  pid: number
  host: string
}

/** Milliseconds in which an answer should come. */
const answerTimeout = 5000

class Claim {
  readonly #place: Place
  readonly #ticket = newTicket()
  readonly #server = createServer((socket) => this.#answer(socket))
  readonly #askers = new Set<Socket>()
  /** Of the folder, for a short way to name it */
  #fd: number | undefined
  #isHeld = false

  private constructor(place: Place) {
    this.#place = place
    this.#fd = process.platform === 'linux' ? openSync(place.folder, 'r') : undefined
  }

  static async make(place: Place): Promise<Claim> {
    const claim = new Claim(place)
    const name = nameOf(place, claim.#ticket)
    try {
      const listening = once(claim.#server, 'listening')
      claim.#server.listen({ path: claim.#address(`${name}.new`), readableAll: true, writableAll: true })
      await listening
      claim.#server.unref()
      // Not before: one that is there and does not listen yet would be taken for a dead one.
      renameSync(join(place.folder, `${name}.new`), join(place.folder, name))
      return claim
    } catch (error) {
      claim.withdraw()
      throw error
    }
  }

  /** @returns whether the file is ours; if not, it is to be tried again. @throws StateFileError if it is another's */
  async prevails(file: string): Promise<boolean> {
    const { folder, start } = this.#place
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(start) || !/^[\da-f]{16}\.sock$/.test(name.slice(start.length))) continue
      if (name === nameOf(this.#place, this.#ticket)) continue
      await this.#ask(name, file)
      if (!this.#server.listening) return false
    }
    this.#isHeld = true
    for (const socket of this.#askers) socket.end('held\n')
    return true
  }

  withdraw(): void {
    remove(join(this.#place.folder, nameOf(this.#place, this.#ticket)))
    for (const socket of this.#askers) socket.destroy()
    this.#server.close(() => {
      const fd = this.#fd
      this.#fd = undefined // who loses a race withdraws, and is withdrawn once more when it is told
      if (fd !== undefined) closeSync(fd)
    })
  }

  /** Tells who we are; that the file is ours, as soon as it is; and by hanging up that it is not. */
  #answer(socket: Socket): void {
    this.#askers.add(socket)
    socket.unref()
    socket.on('error', () => {}).on('close', () => this.#askers.delete(socket))
    const me: Claimant = { ticket: this.#ticket, pid: process.pid, host: hostname() }
    socket.write(`${JSON.stringify(me)}\n`)
    if (this.#isHeld) socket.end('held\n')
  }

  /** Resolves when another claim is gone. @throws StateFileError if it has the file */
  async #ask(name: string, file: string): Promise<void> {
    let heard = ''
    let other: Claimant | undefined
    try {
      const socket = createConnection(this.#address(name)).setEncoding('utf8')
      socket.setTimeout(answerTimeout, () => socket.destroy(inUse(file, other)))
      for await (const text of socket) {
        heard += text as string
        const [first = '', ...more] = heard.split('\n')
        if (more.length === 0) continue
        other ??= JSON.parse(first) as Claimant
        if (more[0] === 'held') throw inUse(file, other)
        if (other.ticket < this.#ticket && this.#server.listening) this.withdraw()
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED') remove(join(this.#place.folder, name))
      else if (code !== 'ENOENT' && code !== 'ECONNRESET' && code !== 'EPIPE')
        throw error instanceof StateFileError ? error : inUse(file, other)
    }
  }

  #address(name: string): string {
    const path = join(this.#place.folder, name)
    return Buffer.byteLength(path) > longest && this.#fd !== undefined
      ? `/proc/self/fd/${this.#fd}/${name}`
      : path
  }
}

/** Windows has pipes, which have no place in a folder; a name is there while somebody listens. */
async function takePipe(file: string): Promise<() => void> {
  const server = createServer((socket) => socket.destroy())
  try {
    const listening = once(server, 'listening')
    server.listen(`\\\\.\\pipe\\proxysim-${short(file.toLowerCase())}`)
    await listening
  } catch {
    throw inUse(file, undefined)
  }
  server.unref()
  return () => server.close()
}

function inUse(file: string, holder: Claimant | undefined): StateFileError {
  const where = holder && holder.host !== hostname() ? ` on ${holder.host}` : ''
  const who = holder ? ` (process ${holder.pid}${where})` : ''
  return new StateFileError(
    `${file} is in use by another simulator${who}. Stop it, or name another file with --db.`,
  )
}

/** Removes a socket, if it may be. */
function remove(path: string): void {
  try {
    if (lstatSync(path).isSocket()) rmSync(path)
  } catch {
    // gone, or not ours to remove; the next one that asks finds nobody there
  }
}
