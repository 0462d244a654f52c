import { createSecureContext } from 'node:tls'
import { readText } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'

/** A certificate with its chain, and its key, both in PEM: as text, or as the bytes of a file */
export interface TlsOptions {
  cert: string | Uint8Array
  key: string | Uint8Array
}

/**
 * Reads the files of `--tls-cert` and `--tls-key`.
 * @throws UserError if only one is given, or a file can't be read
 */
export async function readTls(
  cert: string | undefined,
  key: string | undefined,
): Promise<TlsOptions | undefined> {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new UserError('TLS needs a certificate and its key: --tls-cert FILE --tls-key FILE')
  return { cert: await readText(cert), key: await readText(key) }
}

/** Certificate and key as text. @throws UserError unless they are PEM and belong together */
export function checkTls({ cert, key }: TlsOptions): { cert: string; key: string } {
  const tls = { cert: pemText(cert), key: pemText(key) }
  try {
    createSecureContext(tls)
    return tls
  } catch (cause) {
    throw new UserError(
      "The TLS certificate and its key can't be used. Both must be PEM and belong together, and the key must have no passphrase.",
      { cause },
    )
  }
}

export function pemText(pem: string | Uint8Array): string {
  return typeof pem === 'string' ? pem : new TextDecoder().decode(pem)
}
