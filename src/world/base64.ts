const standard = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes base64 as RFC 4648 §4 defines it, padding required.
 * @returns the text, or undefined if it isn't base64 or doesn't contain UTF-8 text
 */
export function fromBase64(encoded: string): string | undefined {
  if (!standard.test(encoded)) return undefined
  try {
    return utf8.decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}
