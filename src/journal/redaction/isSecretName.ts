import { decodedViews } from './decodedViews.ts'

/** Substrings that mark a name as a credential's. */
const parts =
  /passw|passphrase|passcode|pwd|secret|token|credential|authori[sz]|apikey|accesskey|privatekey|authkey|cookie|bearer|jwt/

/** Words that mark a name as a credential's only on their own: `pass` and `db_pass`, but not `passport`. */
const words = new Set(['pass', 'auth', 'pw', 'psw', 'otp', 'apikey'])

/** Anything longer isn't a name, though it may contain names. */
const longest = 200

/** Whether a field, parameter or header of this name holds a credential. The name may be encoded. */
export function isSecretName(name: string): boolean {
  if (name.length > longest) return false
  let isSecret = judged.get(name)
  if (isSecret === undefined) {
    isSecret = decodedViews(name).some(({ text }) => namesSecret(text))
    if (judged.size >= mostJudged) judged.clear()
    judged.set(name, isSecret)
  }
  return isSecret
}

/** A cache: the same few names come with every request. Without it, redaction takes 1.6 times as long. */
const judged = new Map<string, boolean>()
const mostJudged = 1000

function namesSecret(name: string): boolean {
  if (parts.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''))) return true
  return name
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => words.has(word))
}

/** `password` is a plain name, even if it is somebody's password too. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_-]{1,30}$/.test(name)
}
