import { randomBytes } from 'node:crypto'

/** An API token; not derived from the seed, so that it can't be guessed. */
export function newToken(): string {
  return `tok_${randomBytes(24).toString('base64url')}`
}
