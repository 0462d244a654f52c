import { URL } from 'node:url'
import { StorageError } from '../StorageError.ts'

/** Describes an error by its first line, because further lines of the client's errors contain whole commands. */
export function describeError(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException
  const detail = code ?? message.split(/\n|\.? script: /, 1)[0]?.slice(0, 200)
  return `${name === 'ReplyError' ? 'refused a command' : 'cannot be reached'} (${detail}).`
}

/**
 * Whether an error reply guarantees that nothing was written. Redis returns these errors before a script's first write.
 * Any other error may have stopped a script halfway, for example at a command that the user is not allowed to run.
 */
export function isHarmless(message: string): boolean {
  return /^NOPERM|OOM|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|LOADING|NOAUTH|BUSY/.test(message)
}

export function unreachable(address: string, reason: string): StorageError {
  return new StorageError(`The store ${address} ${reason} Nothing was changed.`, {
    advice: 'Check the store, then try again.',
  })
}

export function outcomeUnknown(address: string, reason: string): StorageError {
  return new StorageError(`The store ${address} ${reason} It is not known whether the change was made.`, {
    advice: 'Check the state before you try again.',
  })
}

/** Another program wrote a key that a change would write. */
export function foreignKey(address: string, key: string): StorageError {
  return new StorageError(
    `The store ${address} has a key ${JSON.stringify(key)} that another program wrote. Nothing was changed.`,
    { advice: 'Delete that key, or use another prefix.' },
  )
}

/** The store is empty although it had a state. */
export function stateMissing(address: string): StorageError {
  return new StorageError(`The store ${address} has lost its state: it was restarted empty, or flushed.`, {
    advice: 'Load a scenario to start over.',
  })
}

/** An account is listed, but its world is missing. */
export function accountMissing(address: string, login: string): StorageError {
  return new StorageError(
    `The store ${address} has lost the account ${JSON.stringify(login)}: its keys were evicted, or deleted by another program.`,
    { advice: 'Load a scenario to start over.' },
  )
}

/** An address without user and password, for messages: `redis://host:6379/0`. */
export function shownAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  if (protocol === 'unix:') return `unix://${pathname}`
  return `${protocol}//${hostname}:${port || 6379}/${pathname.slice(1) || 0}`
}
