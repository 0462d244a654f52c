const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes base64 as RFC 4648 §4 defines it, padding required.
 * @returns the text, or undefined if it isn't base64 or doesn't contain UTF-8 text
 */
export function fromBase64(encoded: string): string | undefined {
  if (!base64Pattern.test(encoded)) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  // Invalid UTF-8 becomes U+FFFD. A strict TextDecoder would take as long as the rest of authentication.
  return text.includes('\ufffd') && !Buffer.from(text).equals(bytes) ? undefined : text
}
