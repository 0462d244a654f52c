import { StorageError } from '../StorageError.ts'

/** `redis://host:6379/0`: an address as it may be shown, without user and password. */
export function shownAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  return `${protocol}//${hostname}:${port || 6379}/${pathname.slice(1) || 0}`
}

/** What a server says by the first word of its refusal, and what can be done. */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'is full (`maxmemory`): it takes no changes. Give it more memory, or load a smaller scenario.',
  READONLY: 'is a read-only replica. Name the address of the primary.',
  MISCONF: 'refuses changes because it cannot save to its disk. Its log says why.',
  NOREPLICAS: 'refuses changes because too few of its replicas are connected (`min-replicas-to-write`).',
  LOADING: 'is still loading its data from disk.',
  BUSY: 'is busy with a script of somebody else.',
  MASTERDOWN: 'is a replica that has lost its primary.',
  WRONGPASS: 'refused the user or the password of the address.',
  NOAUTH: 'requires a password. Write it into the address: redis://:PASSWORD@HOST:PORT',
  NOPERM:
    'does not let this user do what is needed: EVALSHA, SCRIPT LOAD and all commands on keys of the prefix.',
}

/** What went wrong between us and the server, in one line. The errors of the client hold whole commands: only their text is used. */
export function reasonOf(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException
  const told = /(?:^|-)([A-Z]{3,})\b/.exec(message)?.[1] ?? ''
  if (told === 'ERR' && /invalid password|AUTH/i.test(message)) return refusals['WRONGPASS'] as string
  if (told === 'ERR' && /DB index/i.test(message)) return 'has no database of that number.'
  const words = code ?? message.split('\n')[0]?.slice(0, 200)
  return refusals[told] ?? `${name === 'ReplyError' ? 'refused a command' : 'cannot be reached'} (${words}).`
}

/** The store has no state any more: it was restarted empty, or flushed. */
export function lostState(address: string): StorageError {
  return new StorageError(
    `The store ${address} has lost its state: it was restarted empty, or flushed. Load a scenario or reset to begin anew.`,
  )
}

export function away(address: string, reason: string): StorageError {
  return new StorageError(`The store ${address} ${reason} Nothing was changed.`)
}

export function unknownOutcome(address: string, reason: string): StorageError {
  return new StorageError(
    `The store ${address} ${reason} Whether the change was made is not known: read the state before you try again.`,
  )
}

/** Another contract, another length of the journal, or another version of the simulator. */
export function differs(address: string, prefix: string): StorageError {
  return new StorageError(
    `The replicas under the prefix ${prefix} of the store ${address} run with another contract, another --journal or another version of the simulator. Start with the same, or name another --store-prefix.`,
  )
}
