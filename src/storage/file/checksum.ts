import { crc32 } from 'node:zlib'

/**
 * CRC-32 of this and of all that came before it: a line that is missing, or of another log, is found as one that is damaged.
 * @param before of what came before
 */
export function checksum(bytes: string | Uint8Array, before = 0): number {
  return crc32(bytes, before)
}

/** A checksum as it stands in a file: eight digits. */
export function digits(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
