import { getSystemErrorMap } from 'node:util'
import { UserError } from '../UserError.ts'

/** What the disk refused; the message names the file and says what to do. */
export class StorageError extends UserError {
  override readonly name = 'StorageError'
  override readonly code = 'ERR_PROXYSIM_STORAGE'
}

/** A shared store has as many accounts as it may have. */
export class TooManyAccounts extends UserError {
  override readonly name = 'TooManyAccounts'
  override readonly code = 'ERR_PROXYSIM_STORAGE'
}

/** A file that can't be used: it is left as it was. */
export class StateFileError extends UserError {
  override readonly name = 'StateFileError'
  override readonly code = 'ERR_PROXYSIM_STORAGE'
}

/** `ENOSPC: no space left on device` out of an error of the system's. */
export function systemReason(error: unknown): string {
  const { code, errno = 0, message } = error as NodeJS.ErrnoException
  const words = getSystemErrorMap().get(errno)?.[1]
  return code !== undefined && words !== undefined ? `${code}: ${words}` : message
}
