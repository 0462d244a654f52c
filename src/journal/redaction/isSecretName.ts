/** Marks of a secret's name, wherever they stand in it */
const parts = /passw|passphrase|passcode|pwd|secret|token|credential|authorization|cookie|bearer|jwt|apikey/

/** Those that mark it as words of their own alone: `pass` and `db_pass`, but not `passport` */
const words = /(?:^|[^a-z])(?:pass|auth|keys?|pw|otp)(?![a-z])/

/** Whether a field, a parameter or a header is named like a secret. */
export function isSecretName(name: string): boolean {
  let isSecret = judged.get(name)
  if (isSecret === undefined) {
    const lower = name.replaceAll(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase()
    isSecret = parts.test(lower.replaceAll(/[^a-z]/g, '')) || words.test(lower)
    if (judged.size >= mostJudged) judged.clear()
    judged.set(name, isSecret)
  }
  return isSecret
}

/** A cache: the same few names come with every request. */
const judged = new Map<string, boolean>()
const mostJudged = 1000
