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
import { StateFileError, systemReason } from '../../store/StorageError.ts'

/**
 * Locks a file for this process with a listening socket next to it. The kernel closes the socket when the process ends,
 * however it ends, and every container on the same kernel that sees the folder can reach it.
 * @returns releases the lock
 * @throws StateFileError that names the process holding the lock
 */
export async function lockFile(file: string): Promise<() => void> {
  const unlock = await takeBeside(file)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.nlink < 2) return unlock
  try {
    // The file has hard links elsewhere; they all count as one.
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

/** Where the claims to a file are, and the prefix of their names. */
interface Place {
  folder: string
  start: string
}

/** Maximum bytes of a socket path; longer ones are silently truncated. 107 on Linux, 103 elsewhere. */
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
    // Some file systems, mostly network ones, don't support sockets; how they fail varies.
    assertWritable(folder, file)
    return take(file, elsewhere)
  }
}

/** @throws StateFileError if files can't be created in a folder */
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

/** A place in the temporary folder, named after a hash. */
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
 * Makes a claim, and asks the owners of other claims. A claim is visible before its owner looks for others, so of two,
 * at least one sees the other. Names are unique, so what a dead process left can be removed safely. Of two undecided
 * claims, the one with the higher ticket withdraws and waits for the other's outcome.
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

/** How a claim identifies itself. */
interface Claimant {
  ticket: string
  pid: number
  host: string
}

/** Milliseconds to wait for a reply. */
const answerTimeout = 5000

class Claim {
  readonly #place: Place
  readonly #ticket = newTicket()
  readonly #server = createServer((socket) => this.#answer(socket))
  readonly #askers = new Set<Socket>()
  /** File descriptor of the folder, to shorten the path */
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
      // Only now, as a claim that isn't listening yet would look dead.
      renameSync(join(place.folder, `${name}.new`), join(place.folder, name))
      return claim
    } catch (error) {
      claim.withdraw()
      throw error
    }
  }

  /** @returns whether we got the lock; if not, try again. @throws StateFileError if another process has it */
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
      this.#fd = undefined // withdraw can run twice: on losing, and on the resulting error
      if (fd !== undefined) closeSync(fd)
    })
  }

  /** Sends our identity, then `held` once we have the lock; hanging up means that we don't. */
  #answer(socket: Socket): void {
    this.#askers.add(socket)
    socket.unref()
    socket.on('error', () => {}).on('close', () => this.#askers.delete(socket))
    const me: Claimant = { ticket: this.#ticket, pid: process.pid, host: hostname() }
    socket.write(`${JSON.stringify(me)}\n`)
    if (this.#isHeld) socket.end('held\n')
  }

  /** Resolves once another claim is gone. @throws StateFileError if it has the lock */
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

/** Windows has named pipes, which aren't in a folder; a name exists while somebody listens. */
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

/** Removes a socket if permitted. */
function remove(path: string): void {
  try {
    if (lstatSync(path).isSocket()) rmSync(path)
  } catch {
    // Gone, or not ours to remove; whoever asks next finds nobody listening.
  }
}
