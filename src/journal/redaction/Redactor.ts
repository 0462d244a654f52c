import { unescape } from 'node:querystring'
import { isObject } from '../../world/mergePatch.ts'
import { KnownTexts, shortest } from './KnownTexts.ts'

/** Replaces redacted values. */
export const redacted = '[redacted]'

/** Passwords and tokens, and lists of them. */
export type KnownSecrets = readonly (string | readonly string[])[]

/**
 * Redacts credentials as SECURITY.md promises: fields and parameters with secret names, user and password in URLs,
 * and known passwords and tokens anywhere, verbatim or in base64.
 */
export class Redactor {
  readonly #known = new KnownTexts()
  /** Secrets so short that only whole words are redacted */
  readonly #words: string[] = []

  constructor(secrets: KnownSecrets) {
    for (const secret of new Set(secrets.flat()))
      if (secret.length >= shortest)
        for (const spelling of spellings(secret)) this.#known.add(spelling, redacted)
      else if (secret !== '') this.#words.push(secret)
  }

  /** The redacted text. It is percent-decoded if only the decoded text shows a credential. */
  text(text: string): string {
    const safe = this.#cover(text)
    if (!/[%+]/.test(safe)) return safe
    const decoded = unescape(safe.replaceAll('+', ' '))
    const covered = this.#cover(decoded)
    return covered === decoded ? safe : covered
  }

  #cover(text: string): string {
    let safe = text
    // Most texts contain neither character, and `includes` is faster than the pattern.
    if (safe.includes('@')) safe = safe.replace(userInfo, `$1${redacted}@`)
    // By name first: the password may be a part of the name, as in `client_secret`.
    if (safe.includes('='))
      safe = safe.replace(parameter, (whole, name: string) =>
        isSecretName(name) ? `${name}=${redacted}` : whole,
      )
    safe = this.#known.replace(safe)
    for (const word of this.#words) safe = withoutWord(safe, word)
    return safe
  }

  /** Any JSON value. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        isSecretName(name)
          ? [
              isPlain.test(name) ? name : this.text(name),
              harmless.test(JSON.stringify(item)) ? item : redacted,
            ]
          : [this.text(name), this.value(item)],
      ),
    )
  }
}

function withoutWord(text: string, word: string): string {
  let safe = ''
  let done = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at < done || /\w/.test(text.charAt(at - 1) + text.charAt(at + word.length))) continue
    safe += text.slice(done, at) + redacted
    done = at + word.length
  }
  return safe + text.slice(done)
}

/** The secret verbatim, escaped as in JSON and in CSV, and in base64 at each of the three offsets. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [secret, inJson, secret.replaceAll('"', '""'), bytes.toString('base64'), ...base64]
}

const userInfo = /(\/\/)[^\s/?#"'<>]*@/g

/** `name=value` of a query or a form */
const parameter = /(?<=^|[?&;\s])([^\s=?&;#"]+)=[^\s&#"]*/g

/** A plain name such as `password` isn't redacted, even if it is also somebody's password. */
const isPlain = /^[A-Za-z_-]{1,30}$/

/** JSON texts that are empty, or the contract's message after a password change */
const harmless = /^(?:null|""|\[\]|\{\}|\{"success":"[A-Z][a-z ]+ successfully"\})$/

const secretName =
  /passw|passphrase|passcode|pwd|secret|token|credential|authorization|cookie|bearer|jwt|apikey|(?<![a-z])(?:pass|auth|keys?|pw|otp)(?![a-z])/

/** Whether a field, parameter or header has the name of a secret: `dbPass` and `access-token` do, `passport` doesn't. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.replaceAll(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase())
}
