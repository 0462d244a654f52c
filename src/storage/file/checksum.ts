import { crc32 } from 'node:zlib'

/**
 * A running CRC-32 of this and everything before it, so that a missing or foreign line is detected like a damaged one.
 * @param before the checksum so far
 */
export function checksum(bytes: string | Uint8Array, before = 0): number {
  return crc32(bytes, before)
}

/** A checksum as written to files: eight hex digits. */
export function digits(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
