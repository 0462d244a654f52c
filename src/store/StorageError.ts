import { getSystemErrorMap } from 'node:util'
import { UserError } from '../lib/UserError.ts'

/** The disk or the network refused an operation, or a file can't be used; the message names it, and says what to do. */
export class StorageError extends UserError {
  override readonly name = 'StorageError'
  override readonly code = 'ERR_PROXYSIM_STORAGE'
}

/** Formats a system error: `ENOSPC: no space left on device`. */
export function systemReason(error: unknown): string {
  const { errno = 0, message } = error as NodeJS.ErrnoException
  return getSystemErrorMap().get(errno)?.join(': ') ?? message
}
