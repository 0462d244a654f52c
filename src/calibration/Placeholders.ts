import { KnownTexts } from './KnownTexts.ts'
import { redacted } from '../journal/redact.ts'
import { isIPv4 } from 'node:net'
import { addressFields } from '../service/calibration/fields.ts'

/** Kinds of personal data that are never shown, with their placeholders. */
const placeholders = {
  password: (n: number) => `password${n}`,
  username: (n: number) => `user${n}`,
  email: (n: number) => `client${n}@example.com`,
  ip: (n: number, value: string) => (isIPv4(value) ? address(n - 1) : `not-an-address-${n}`),
  /** Fields that the contract doesn't have */
  text: (n: number) => `[text ${n}]`,
}

export type SecretKind = keyof typeof placeholders

/** Contract fields that contain such data */
const kinds: Readonly<Record<string, SecretKind>> = {
  password: 'password',
  username: 'username',
  email: 'email',
  error: 'text',
  ...Object.fromEntries(addressFields.map((name) => [name, 'ip'])),
}

export function kindOfField(field: string): SecretKind | undefined {
  return Object.hasOwn(kinds, field) ? kinds[field] : undefined
}

/** Whether a text has the form of a name, or of a placeholder for one, and not of a token or of data. */
export function isName(text: string): boolean {
  return (
    /^\[text \d+\]$/.test(text) ||
    (text.length <= 40 && /^_*[A-Za-z]+\d{0,3}(?:[_-]+(?:[A-Za-z]+\d{0,3}|\d{1,3}))*$/.test(text))
  )
}

export const anyAddress = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g
const anyEmail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** The ranges reserved for documentation (RFC 5737), then the one for benchmarks (RFC 2544) for longer lists. */
function address(n: number): string {
  const block = ['192.0.2', '198.51.100', '203.0.113'][Math.floor(n / 254)]
  if (block !== undefined) return `${block}.${(n % 254) + 1}`
  return `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
}

/** Maximum number of unknown names; more of them are probably data */
const maxNames = 100

/** Placeholders for personal data in recordings. Equal values have the same placeholder everywhere. */
export class Placeholders {
  readonly #given = new Map<string, string>()
  readonly #counts = new Map<SecretKind, number>()
  readonly #known = new KnownTexts()
  /** Unknown names that are shown unchanged */
  readonly #names = new Set<string>()
  readonly #unredacted: ReadonlySet<SecretKind | undefined>

  /** @param keep fields whose kind of data is shown unchanged */
  constructor(keep: readonly string[]) {
    this.#unredacted = new Set(keep.map(kindOfField))
  }

  of(kind: SecretKind, value: string): string {
    if (value === '' || value === redacted) return value
    if (this.#unredacted.has(kind)) return kind === 'text' ? this.scrub(value) : value
    const key = `${kind === 'text' ? kind : 'secret'} ${value}`
    const given = this.#given.get(key)
    if (given !== undefined) return given
    const n = (this.#counts.get(kind) ?? 0) + 1
    const made = placeholders[kind](n, value)
    this.#counts.set(kind, n)
    this.#given.set(key, made)
    if (kind !== 'text') this.#known.add(value, made)
    return made
  }

  /** Replaces the secrets in a text: known ones, e-mail addresses and IP addresses. */
  scrub(text: string): string {
    for (const [email] of text.matchAll(anyEmail)) this.of('email', email)
    for (const [ip] of text.matchAll(anyAddress)) this.of('ip', ip)
    return this.#known.replace(text)
  }

  /** A name of a field or in a path that isn't in the contract. It is shown if it looks like a name and contains no known secret. */
  name(text: string): string {
    const secret = this.#given.get(`secret ${text}`)
    if (secret !== undefined) return secret
    const isShown = isName(text) && this.scrub(text) === text
    if (isShown && (this.#names.has(text) || this.#names.size < maxNames)) {
      this.#names.add(text)
      return text
    }
    return this.of('text', text)
  }
}
