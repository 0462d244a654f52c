const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text of bytes. @throws if they are not UTF-8: a byte that changed must not become a question mark */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
