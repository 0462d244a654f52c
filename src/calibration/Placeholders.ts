import { KnownTexts } from '../journal/redaction/KnownTexts.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { isIpv4 } from '../world/addresses.ts'

/** Data of people and machines that is never shown, and how its placeholders look. */
const placeholders = {
  password: (n: number) => `password${n + 1}`,
  username: (n: number) => `user${n + 1}`,
  email: (n: number) => `client${n + 1}@example.com`,
  ip: (n: number, value: string) => (isIpv4(value) ? address(n) : `not-an-address-${n + 1}`),
  text: (n: number) => `[text ${n + 1}]`,
}

export type SecretKind = keyof typeof placeholders

/** Contract fields that contain such data */
const kinds = new Map<string, SecretKind>([
  ['password', 'password'],
  ['username', 'username'],
  ['email', 'email'],
  ...['ip', 'ips', 'bindedip', 'setip', 'errors', 'inactive'].map((name) => [name, 'ip'] as const),
  ['error', 'text'],
])

export const secretFields = [...kinds.keys()]

export function kindOfField(field: string): SecretKind | undefined {
  return kinds.get(field)
}

/** Whether a text has the form of a name, or of a placeholder for one, not that of a token or of data. */
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

/** Stand-ins for the data of people and machines in recordings: for the same value the same one everywhere. */
export class Placeholders {
  readonly #given = new Map<string, string>()
  readonly #made = new Set<string>()
  readonly #counts = new Map<SecretKind, number>()
  readonly #known = new KnownTexts()
  readonly #taken: ReadonlySet<string>
  readonly #kept: ReadonlySet<SecretKind | undefined>
  readonly #keptFields: ReadonlySet<string>

  /**
   * @param keep fields that are shown unchanged
   * @param taken values in the recording, which can't serve as placeholders
   */
  constructor(keep: readonly string[] = [], taken: ReadonlySet<string> = new Set()) {
    this.#keptFields = new Set(keep)
    this.#kept = new Set(keep.map(kindOfField))
    this.#taken = taken
  }

  /** Whether a field that isn't in the contract is shown anyway. */
  keeps(field: string): boolean {
    return this.#keptFields.has(field)
  }

  of(kind: SecretKind, value: string): string {
    if (value === '' || value === redacted) return value
    if (this.#kept.has(kind)) return kind === 'text' ? this.scrub(value) : value
    const key = `${kind === 'ip' || kind === 'text' ? kind : 'secret'} ${value}`
    let placeholder = this.#given.get(key)
    if (placeholder !== undefined) return placeholder
    do {
      const n = this.#counts.get(kind) ?? 0
      this.#counts.set(kind, n + 1)
      placeholder = placeholders[kind](n, value)
    } while (this.#taken.has(placeholder))
    this.#given.set(key, placeholder)
    this.#made.add(placeholder)
    if (kind !== 'text') this.#known.add(value, placeholder)
    return placeholder
  }

  /** Replaces the secrets in a text: known ones, IP addresses and e-mail addresses. */
  scrub(text: string): string {
    const cover = (kind: SecretKind) => (found: string) =>
      this.#made.has(found) ? found : this.of(kind, found)
    return this.#known
      .replace(this.#kept.has('email') ? text : text.replace(anyEmail, cover('email')))
      .replace(anyAddress, this.#kept.has('ip') ? '$&' : (cover('ip') as never))
  }

  /** A name that isn't in the contract, of a field or in a path: shown if it looks like one and has no known secret. */
  name(text: string): string {
    const secret = this.#given.get(`secret ${text}`)
    return secret ?? (isName(text) && this.scrub(text) === text ? text : this.of('text', text))
  }

  /** Registers a value that was sent as a credential: it is replaced wherever it occurs. */
  learn(secret: string): void {
    this.of('password', secret)
  }
}
