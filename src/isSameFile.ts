import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Whether two paths are those of the same file, however they are written, and through links too. */
export function isSameFile(one: string, other: string): boolean {
  return identityOf(one) === identityOf(other)
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    if (ino !== 0n) return `${dev}:${ino}` // some network drives of Windows number none
  } catch {
    // It may not exist.
  }
  return resolve(path)
}
