import { createSecureContext } from 'node:tls'
import { readText } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'

/** A certificate, with those that lead to a known one, and its key, both in PEM */
export interface TlsOptions {
  cert: string | Buffer
  key: string | Buffer
}

/**
 * Reads what `--tls-cert` and `--tls-key` name.
 * @throws UserError if only one is named, or a file can't be read
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

/** @throws UserError unless they are PEM and belong together */
export function checkTls(tls: TlsOptions): void {
  try {
    createSecureContext(tls)
  } catch (cause) {
    throw new UserError(
      "The TLS certificate and its key can't be used. Both must be PEM and belong together, and the key must have no passphrase.",
      { cause },
    )
  }
}
