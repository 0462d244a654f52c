import { StorageError } from '../StorageError.ts'

/** By the error code of the server's reply */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'is full (`maxmemory`) and refuses changes. Give it more memory, or load a smaller scenario.',
  READONLY: 'is a read-only replica. Use the address of the primary.',
  MISCONF: 'refuses changes because it cannot save to its disk. Its log says why.',
  NOREPLICAS: 'refuses changes because too few of its replicas are connected (`min-replicas-to-write`).',
  LOADING: 'is still loading its data from disk.',
  WRONGPASS: 'rejected the user or password in the address.',
  NOAUTH: 'requires a password. Put it in the address, as in redis://:PASSWORD@HOST:PORT.',
  NOPERM:
    'does not give this user the permissions it needs: `~PREFIX:* +@all -@dangerous +info +config|get`, where PREFIX is that of --store-prefix.',
}

const lostKeys =
  'Its keys were evicted, or deleted by another program. Reset, or load a scenario, to start over.'

/** Describes an error in one line. Only its text is used, as the client's errors also contain whole commands. */
export function reasonOf(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException
  const told = /(?:^|-)([A-Z]{3,})\b/.exec(message)?.[1] ?? ''
  if (told === 'ERR' && /invalid password|AUTH/i.test(message)) return refusals['WRONGPASS'] as string
  if (told === 'ERR' && /DB index/i.test(message)) return 'has no database with that number.'
  if (message.includes('specified in XADD')) return `has lost its counters. ${lostKeys}`
  if (message.startsWith('Unknown RESP type'))
    return 'is not a Redis: what listens there speaks another protocol.'
  const words = code ?? message.split('\n')[0]?.slice(0, 200)
  return refusals[told] ?? `${name === 'ReplyError' ? 'refused a command' : 'cannot be reached'} (${words}).`
}

export function away(address: string, reason: string): StorageError {
  return new StorageError(`The store ${address} ${reason} Nothing was changed.`)
}

/** Nobody knows whether a change was made. */
export function unknown(address: string, reason: string): StorageError {
  return new StorageError(
    `The store ${address} ${reason} It is not known whether the change was made: check the state before you try again.`,
  )
}

/** The store is empty although it had a state. */
export function lostState(address: string): StorageError {
  return new StorageError(
    `The store ${address} has lost its state: it was restarted empty, or flushed. Load a scenario, or reset, to start over.`,
  )
}

/** The account is listed, and its world is gone. */
export function lostAccount(address: string, login: string): StorageError {
  return new StorageError(`The store ${address} has lost the account ${JSON.stringify(login)}. ${lostKeys}`)
}

/** The replicas of a deployment don't share their settings. */
export function differs(address: string, prefix: string): StorageError {
  return new StorageError(
    `The replicas under the prefix ${prefix} of the store ${address} run with a different contract, --journal, --assume or version of the simulator. Start with the same ones, or use another --store-prefix.`,
  )
}

/** An address without user and password, to show in messages: `redis://host:6379/0`. */
export function shownAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  if (protocol === 'unix:') return `unix://${pathname}`
  return `${protocol}//${hostname}:${port || 6379}/${pathname.slice(1) || 0}`
}
