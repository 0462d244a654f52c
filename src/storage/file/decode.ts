const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8. @throws if it is invalid: a damaged byte must not become a replacement character */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
