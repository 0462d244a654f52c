import { getSystemErrorMap } from 'node:util'
import { UserError } from '../lib/UserError.ts'

/** A failed disk or network operation, or an unusable file. The message names the file or store, and says what to do. */
export class StorageError extends UserError {
  override readonly name = 'StorageError'
  override readonly code = 'ERR_PROXYSIM_STORAGE'
}

const advice: Partial<Record<string, string>> = {
  EACCES: 'Check the permissions',
  EDQUOT: 'Free disk space',
  EISDIR: 'Move that folder away',
  EFBIG: 'Raise the limit of the size of files',
  ENOSPC: 'Free disk space',
  EPERM: 'Check the permissions',
  EROFS: 'Check the permissions',
}

/** Returns advice about a failed write: `Free disk space`. */
export function diskAdvice(error: unknown): string {
  return knownAdvice(error) ?? 'Check the disk'
}

/** Returns advice about a file that can't be opened: `Free disk space, or use another file.` */
export function openAdvice(error: unknown): string {
  const known = knownAdvice(error)
  return known === undefined ? 'Use another file.' : `${known}, or use another file.`
}

function knownAdvice(error: unknown): string | undefined {
  return advice[(error as NodeJS.ErrnoException).code ?? '']
}

/** Formats a system error: `ENOSPC: no space left on device`. */
export function systemReason(error: unknown): string {
  const { errno = 0, message } = error as NodeJS.ErrnoException
  return getSystemErrorMap().get(errno)?.join(': ') ?? message
}
