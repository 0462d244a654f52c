import { isIPv4 } from 'node:net'
import { addressFields, redacted } from '../simulator.ts'

/** Kinds of personal data that are never shown, with their placeholders. */
const placeholders = {
  password: (n: number) => `password${n}`,
  username: (n: number) => `user${n}`,
  email: (n: number) => `client${n}@example.com`,
  ip: (n: number, value: string) => (isIPv4(value) ? exampleAddress(n - 1) : `not-an-address-${n}`),
  /** Texts that the contract doesn't have */
  text: (n: number) => `[text ${n}]`,
}

export type PlaceholderKind = keyof typeof placeholders

/** Contract fields that contain personal data */
const kindByField = new Map<string, PlaceholderKind>([
  ['password', 'password'],
  ['username', 'username'],
  ['email', 'email'],
  ['error', 'text'],
  ...addressFields.map((name): [string, PlaceholderKind] => [name, 'ip']),
])

export function placeholderKind(field: string): PlaceholderKind | undefined {
  return kindByField.get(field)
}

/** Returns an address reserved for documentation (RFC 5737), or for benchmarks (RFC 2544) in long lists. */
function exampleAddress(n: number): string {
  const block = ['192.0.2', '198.51.100', '203.0.113'][Math.floor(n / 254)]
  if (block !== undefined) return `${block}.${(n % 254) + 1}`
  return `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`
}

/** Placeholders for personal data in recordings. Equal values of a kind have the same placeholder everywhere. */
export class Placeholders {
  readonly #byValue = new Map<string, string>()
  readonly #counts = new Map<PlaceholderKind, number>()
  readonly #unredacted: ReadonlySet<PlaceholderKind | undefined>

  /** @param keep fields whose kind of data is shown unchanged */
  constructor(keep: readonly string[]) {
    this.#unredacted = new Set(keep.map(placeholderKind))
  }

  replace(kind: PlaceholderKind, value: string): string {
    if (value === '' || value === redacted || this.#unredacted.has(kind)) return value
    const key = `${kind} ${value}`
    const existing = this.#byValue.get(key)
    if (existing !== undefined) return existing
    const n = (this.#counts.get(kind) ?? 0) + 1
    const placeholder = placeholders[kind](n, value)
    this.#counts.set(kind, n)
    this.#byValue.set(key, placeholder)
    return placeholder
  }
}
