import { redacted } from '../journal/redaction/Redactor.ts'
import { isIpv4 } from '../world/ipv4.ts'

/** Data of people and machines that is never shown. */
export type SecretKind = 'password' | 'username' | 'email' | 'ip' | 'text'

/** Contract fields that contain such data */
const kinds: Record<string, SecretKind> = {
  password: 'password',
  username: 'username',
  email: 'email',
  ip: 'ip',
  ips: 'ip',
  bindedip: 'ip',
  setip: 'ip',
  errors: 'ip',
  inactive: 'ip',
  error: 'text',
}

export const secretFields = Object.keys(kinds)

export function kindOfField(field: string): SecretKind | undefined {
  return Object.hasOwn(kinds, field) ? kinds[field] : undefined
}

/** Whether a text has the form of a name, or of a stand-in for one, not that of a token or of data. */
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
  return block === undefined
    ? `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
    : `${block}.${(n % 254) + 1}`
}

/**
 * Stand-ins for the data of people and machines in recordings. A value gets the same stand-in everywhere, so that what
 * was equal still is.
 */
export class StandIns {
  readonly #given = new Map<string, string>()
  readonly #counts = new Map<SecretKind, number>()
  readonly #known = new Map<string, string>()
  readonly #taken: ReadonlySet<string>
  readonly #kept: ReadonlySet<SecretKind>
  readonly #keptFields: ReadonlySet<string>

  /**
   * @param keep fields that are shown unchanged
   * @param taken values in the recording, which can't serve as stand-ins
   */
  constructor(keep: readonly string[] = [], taken: ReadonlySet<string> = new Set()) {
    this.#keptFields = new Set(keep)
    this.#kept = new Set(keep.map(kindOfField).filter((kind) => kind !== undefined))
    this.#taken = taken
  }

  /** Whether a field that isn't in the contract is shown anyway. */
  keeps(field: string): boolean {
    return this.#keptFields.has(field)
  }

  of(kind: SecretKind, value: string): string {
    if (value === '' || value === redacted) return value
    if (this.#kept.has(kind)) return kind === 'text' ? this.scrub(value) : value
    const key = `${kind === 'ip' ? 'ip' : kind === 'text' ? 'text' : 'secret'} ${value}`
    const known = this.#given.get(key)
    if (known !== undefined) return known
    let standIn: string
    do standIn = this.#make(kind, value)
    while (this.#taken.has(standIn))
    this.#given.set(key, standIn)
    if (value.length >= 4 && kind !== 'text') this.#known.set(value, standIn)
    return standIn
  }

  #make(kind: SecretKind, value: string): string {
    const n = this.#counts.get(kind) ?? 0
    this.#counts.set(kind, n + 1)
    switch (kind) {
      case 'password':
        return `password${n + 1}`
      case 'username':
        return `user${n + 1}`
      case 'email':
        return `client${n + 1}@example.com`
      case 'ip':
        return isIpv4(value) ? address(n) : `not-an-address-${n + 1}`
      case 'text':
        return `[text ${n + 1}]`
    }
  }

  /** Replaces the secrets in a text: known ones, IP addresses and e-mail addresses. */
  scrub(text: string): string {
    let safe = text
    if (!this.#kept.has('email')) safe = safe.replace(anyEmail, (email) => this.of('email', email))
    for (const [value, standIn] of this.#known)
      if (safe.includes(value)) safe = safe.replaceAll(value, standIn)
    const own = new Set(this.#given.values())
    if (!this.#kept.has('ip')) safe = safe.replace(anyAddress, (ip) => (own.has(ip) ? ip : this.of('ip', ip)))
    return safe
  }

  /** A name that isn't in the contract, of a field or in a path: shown if it looks like one and has no known secret. */
  name(text: string): string {
    const secret = this.#given.get(`secret ${text}`)
    return secret ?? (isName(text) && this.scrub(text) === text ? text : this.of('text', text))
  }

  /** Registers a value that was sent as a credential: it is replaced wherever it occurs. */
  learn(secret: string): void {
    if (secret !== '') this.of('password', secret)
  }
}
