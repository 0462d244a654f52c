import { isIpv4 } from '../world/ipv4.ts'

/** What of people and machines is never shown. */
export type SecretKind = 'password' | 'username' | 'email' | 'ip' | 'text'

/** Fields of the contract that hold it */
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

const anyAddress = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g
const anyEmail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g

/** The ranges that RFC 5737 keeps for documentation; then RFC 2544's, for lists that are longer. */
function address(n: number): string {
  const block = ['192.0.2', '198.51.100', '203.0.113'][Math.floor(n / 254)]
  return block === undefined
    ? `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
    : `${block}.${(n % 254) + 1}`
}

/**
 * Stand-ins for what recordings hold of people and machines: the same for the same value, wherever it stands, so that
 * what was equal still is.
 */
export class StandIns {
  readonly #given = new Map<string, string>()
  readonly #counts = new Map<SecretKind, number>()
  readonly #known = new Map<string, string>()
  readonly #taken: ReadonlySet<string>
  readonly #kept: ReadonlySet<SecretKind>
  readonly #keptFields: ReadonlySet<string>

  /**
   * @param keep fields that are shown as they are
   * @param taken values that must not be stand-ins, as they are in the recording
   */
  constructor(keep: readonly string[] = [], taken: ReadonlySet<string> = new Set()) {
    this.#keptFields = new Set(keep)
    this.#kept = new Set(keep.map(kindOfField).filter((kind) => kind !== undefined))
    this.#taken = taken
  }

  /** Whether a field that the contract does not have is shown all the same. */
  keeps(field: string): boolean {
    return this.#keptFields.has(field)
  }

  /** The stand-in of a value. */
  of(kind: SecretKind, value: string): string {
    if (this.#kept.has(kind) || value === '') return value
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

  /** A text that is shown, without what of it is a secret: known ones, addresses, e-mail addresses. */
  scrub(text: string): string {
    let safe = text
    if (!this.#kept.has('email')) safe = safe.replace(anyEmail, (email) => this.of('email', email))
    for (const [value, standIn] of this.#known)
      if (safe.includes(value)) safe = safe.replaceAll(value, standIn)
    const own = new Set(this.#given.values())
    if (!this.#kept.has('ip')) safe = safe.replace(anyAddress, (ip) => (own.has(ip) ? ip : this.of('ip', ip)))
    return safe
  }

  /** Something that was sent as a credential: wherever it stands, it is covered. */
  learn(secret: string): void {
    if (secret !== '') this.of('password', secret)
  }
}
