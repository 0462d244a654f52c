import { randomBytes } from 'node:crypto'

/** An API token. It must not be guessed, so it comes from no seed. */
export function newToken(): string {
  return `tok_${randomBytes(24).toString('base64url')}`
}
