import { randomBytes } from 'node:crypto'
import type { State } from '../../state/State.ts'
import type { World } from '../../world/World.ts'
import { StorageError } from '../../store/StorageError.ts'
import type { Connection } from './Connection.ts'
import { readingsText } from './Epoch.ts'
import { pairsOf } from '../../pairsOf.ts'
import { lostAccount, lostState } from './refusals.ts'
import { parseId, readHistory, type HistoryEntry } from './WorldCache.ts'

/** Maximum characters of JSON, and accounts, per script call, so that Redis can serve others in between */
const largestChunk = 512 * 1024
const mostAccounts = 200

/** A name for an epoch or run that is unique even if the store loses its state. */
export function newName(): string {
  return randomBytes(6).toString('base64url').replaceAll('-', '.')
}

/** The newest history entry of each login, ordered by the creation of the accounts. */
export type Cut = Map<string, string>

/** Reads and writes whole states in the store: the current one, snapshots, and states about to be loaded. */
export class Epochs {
  /** As in `Lanes` */
  onLostAccount: (login: string) => Error = (login) => lostAccount(this.#connection.address, login)
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Writes a state under a new epoch, which isn't current yet.
   * @param same a known epoch with the same scenario, if any: its document is copied within Redis
   * @returns the new epoch
   */
  async write({ scenario, accounts }: State, same = ''): Promise<string> {
    const epoch = newName()
    const worlds = Object.entries(accounts)
    const base = worlds[0] ? readingsText(worlds[0][1]) : ''
    const begin = async (document: string, known: string): Promise<number | null> =>
      (await this.#connection.ask('begin', [epoch, scenario.name, document, base, worlds.length, known])) as
        | number
        | null
    let birth = same === '' ? null : await begin('', same)
    birth ??= (await begin(JSON.stringify(scenario.document), '')) as number
    let next = birth
    const sent: Promise<unknown>[] = []
    let chunk: string[] = []
    let characters = 0
    const send = (): void => {
      const count = chunk.length / 5
      if (count === 0) return
      sent.push(this.#connection.ask('write', [epoch, next, count, ...chunk]))
      next += count
      chunk = []
      characters = 0
    }
    for (const [login, world] of worlds) {
      const text = JSON.stringify(world)
      const readings = readingsText(world)
      chunk.push(
        login,
        String(world.version),
        text,
        readings === base ? '-' : readings,
        world.origin ? '1' : '',
      )
      characters += text.length
      if (characters > largestChunk || chunk.length >= 5 * mostAccounts) send()
      if (sent.length >= 8) await Promise.all(sent.splice(0))
    }
    send()
    await Promise.all(sent)
    return epoch
  }

  /** A consistent view of an epoch, by default of the current one. */
  async read(epoch = ''): Promise<State> {
    let before: Cut = new Map()
    let gone: string | undefined
    for (let attempt = 0; attempt < 5; attempt++) {
      const { epoch: present, name, document, cut } = await this.index('state', epoch)
      // It was gone before the index was read again, so it did not just change. (A snapshot may be being deleted.)
      if (epoch === '' && gone !== undefined && before.get(gone) === cut.get(gone))
        throw this.onLostAccount(gone)
      const accounts: Record<string, World> = {}
      gone = await this.#addWorlds(accounts, present, cut)
      if (gone === undefined)
        return {
          scenario: { name, document: JSON.parse(document) as State['scenario']['document'] },
          accounts,
        }
      before = cut
    }
    throw new StorageError(
      `The store ${this.#connection.address} changes faster than it can be read as a whole. Try again when there is less load.`,
    )
  }

  /** The index of an epoch. @throws StorageError if there is no epoch */
  async index(
    wanted: 'logins' | 'state',
    epoch = '',
  ): Promise<{ epoch: string; name: string; document: string; cut: Cut }> {
    const reply = await this.#connection.ask('index', [epoch, wanted, ''])
    const index = reply as
      | [epoch: string, name: string, document: string, logins: string[], unknown, unknown, places: string[]]
      | []
    if (index.length === 0)
      throw epoch === ''
        ? lostState(this.#connection.address)
        : new StorageError('The snapshot was deleted meanwhile. Nothing was changed.')
    const [present, name, document, logins, , , places] = index
    const births = new Map(pairsOf(places))
    const cut = new Map(
      pairsOf(logins)
        .map(([login, id]) => ({ login, id, birth: Number(births.get(login) ?? parseId(id).birth) }))
        .toSorted((one, other) => one.birth - other.birth)
        .map(({ login, id }) => [login, id]),
    )
    return { epoch: present, name, document: document || '{}', cut }
  }

  /** Adds the worlds of a cut. @returns the login of one that is gone by now */
  async #addWorlds(accounts: Record<string, World>, epoch: string, cut: Cut): Promise<string | undefined> {
    const entries = [...cut]
    for (let at = 0; at < entries.length; at += mostAccounts) {
      const some = entries.slice(at, at + mostAccounts)
      const found = (await this.#connection.ask('read', [epoch, ...some.flat()])) as HistoryEntry[][]
      for (const [index, [login]] of some.entries()) {
        const world = readHistory(found[index] ?? [])?.world
        if (!world) return login
        accounts[login] = world
      }
    }
    return undefined
  }

  /** Deletes discarded epochs and runs in small steps. If interrupted, the housekeeping of any replica continues. */
  async unlink(names: readonly string[]): Promise<void> {
    for (const name of names) while (((await this.#connection.ask('unlink', [name])) as number) > 0);
  }

  /** Deletes in the background. */
  unlinkLater(names: unknown): void {
    if (Array.isArray(names)) this.unlink(names as string[]).catch(() => {})
  }
}
