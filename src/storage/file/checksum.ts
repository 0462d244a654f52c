/** A running CRC-32 of this and everything before it, so that a missing or foreign line is detected like a damaged one. */
export { crc32 as checksum } from 'node:zlib'

/** A checksum as written to files: eight hex digits. */
export function digits(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
