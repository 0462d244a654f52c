import { createSecureContext } from 'node:tls'
import { readText } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'

/** A certificate (with its chain) and its private key in PEM, as text or as the bytes of a file */
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
    throw new UserError(
      cert === undefined
        ? '--tls-key needs --tls-cert. Add --tls-cert FILE.'
        : '--tls-cert needs --tls-key. Add --tls-key FILE.',
    )
  return { cert: await readText(cert), key: await readText(key) }
}

/** Converts certificate and key to text. @throws UserError if they aren't PEM or don't match */
export function checkTls({ cert, key }: TlsOptions): { cert: string; key: string } {
  const tls = { cert: pemText(cert), key: pemText(key) }
  try {
    createSecureContext(tls)
    return tls
  } catch (cause) {
    throw new UserError(`The TLS certificate and its key can't be used: ${problemOf(tls, cause)}`, { cause })
  }
}

/** Explains OpenSSL's error. */
function problemOf({ cert, key }: { cert: string; key: string }, cause: unknown): string {
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) return 'the certificate is not PEM.'
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) return 'the key is not PEM.'
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'the key belongs to another certificate.'
  if (/ENCRYPTED/.test(key)) return 'the key has a passphrase. Remove it, for example with `openssl pkey`.'
  return `${(cause as Error).message}.`
}

export function pemText(pem: string | Uint8Array): string {
  return typeof pem === 'string' ? pem : new TextDecoder().decode(pem)
}
