import { KnownTexts } from './KnownTexts.ts'
import { addressPattern, redacted } from '../simulator.ts'
import { isIPv4 } from 'node:net'
import { addressFields } from './service/fields.ts'

/** Kinds of personal data that are never shown, with their placeholders. */
const placeholders = {
  password: (n: number) => `password${n}`,
  username: (n: number) => `user${n}`,
  email: (n: number) => `client${n}@example.com`,
  ip: (n: number, value: string) => (isIPv4(value) ? exampleAddress(n - 1) : `not-an-address-${n}`),
  /** Texts in fields that the contract doesn't have */
  text: (n: number) => `[text ${n}]`,
}

export type PlaceholderKind = keyof typeof placeholders

/** Contract fields that contain personal data */
const kindByField: Readonly<Record<string, PlaceholderKind>> = {
  password: 'password',
  username: 'username',
  email: 'email',
  error: 'text',
  ...Object.fromEntries(addressFields.map((name) => [name, 'ip'])),
}

export function placeholderKind(field: string): PlaceholderKind | undefined {
  return Object.hasOwn(kindByField, field) ? kindByField[field] : undefined
}

/** Whether a text looks like an identifier or a placeholder, not like a token or other data. */
export function isIdentifier(text: string): boolean {
  return (
    /^\[text \d+\]$/.test(text) ||
    (text.length <= 40 && /^_*[A-Za-z]+\d{0,3}(?:[_-]+(?:[A-Za-z]+\d{0,3}|\d{1,3}))*_*$/.test(text))
  )
}

const emailPattern = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** Returns an address reserved for documentation (RFC 5737), or for benchmarks (RFC 2544) in long lists. */
function exampleAddress(n: number): string {
  const block = ['192.0.2', '198.51.100', '203.0.113'][Math.floor(n / 254)]
  if (block !== undefined) return `${block}.${(n % 254) + 1}`
  return `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
}

/** Maximum number of unknown field names to show. If there are more, they are probably data. */
const maxNames = 100

/** Placeholders for personal data in recordings. Equal values have the same placeholder everywhere. */
export class Placeholders {
  readonly #byValue = new Map<string, string>()
  readonly #counts = new Map<PlaceholderKind, number>()
  readonly #known = new KnownTexts()
  /** Names of fields and path segments outside the contract that are shown unchanged */
  readonly #shownNames = new Set<string>()
  readonly #unredacted: ReadonlySet<PlaceholderKind | undefined>

  /** @param keep fields whose kind of data is shown unchanged */
  constructor(keep: readonly string[]) {
    this.#unredacted = new Set(keep.map(placeholderKind))
  }

  replace(kind: PlaceholderKind, value: string): string {
    if (value === '' || value === redacted) return value
    if (this.#unredacted.has(kind)) return kind === 'text' ? this.redact(value) : value
    const key = `${kind === 'text' ? kind : 'secret'} ${value}`
    const existing = this.#byValue.get(key)
    if (existing !== undefined) return existing
    const n = (this.#counts.get(kind) ?? 0) + 1
    const placeholder = placeholders[kind](n, value)
    this.#counts.set(kind, n)
    this.#byValue.set(key, placeholder)
    if (kind !== 'text') this.#known.add(value, placeholder)
    return placeholder
  }

  /** Replaces personal data in a text: known values, e-mail addresses and IP addresses. */
  redact(text: string): string {
    for (const [email] of text.matchAll(emailPattern)) this.replace('email', email)
    for (const [ip] of text.matchAll(addressPattern)) this.replace('ip', ip)
    return this.#known.replace(text)
  }

  /** Replaces the name of a field or path segment outside the contract, unless it looks like an identifier. */
  replaceName(text: string): string {
    const secret = this.#byValue.get(`secret ${text}`)
    if (secret !== undefined) return secret
    const isShown = isIdentifier(text) && this.redact(text) === text
    if (isShown && (this.#shownNames.has(text) || this.#shownNames.size < maxNames)) {
      this.#shownNames.add(text)
      return text
    }
    return this.replace('text', text)
  }
}
