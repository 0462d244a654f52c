import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { TextDecoder } from 'node:util'
import { UserError } from '../lib/UserError.ts'

/** `cert` is a certificate with its chain, `key` its private key. Both are PEM, as text or as the bytes of a file */
export interface TlsOptions {
  cert: string | Uint8Array
  key: string | Uint8Array
}

/** Converts certificate and key to text. @throws UserError if they aren't valid PEM or don't match */
export function checkTls({ cert, key }: TlsOptions): { cert: string; key: string } {
  const tls = { cert: pemText(cert), key: pemText(key) }
  const certificate = parse('certificate', tls.cert, (pem) => new X509Certificate(pem))
  const privateKey = parse('key', tls.key, createPrivateKey)
  if (!certificate.checkPrivateKey(privateKey)) throw tlsError('the key belongs to another certificate.')
  try {
    createSecureContext(tls)
  } catch (cause) {
    throw tlsError(`${(cause as Error).message}.`, cause)
  }
  return tls
}

function parse<T>(name: string, pem: string, read: (pem: string) => T): T {
  try {
    return read(pem)
  } catch (cause) {
    throw tlsError(
      pem.includes('ENCRYPTED')
        ? 'the key has a passphrase. Remove it, for example with `openssl pkey`.'
        : `the ${name} is not valid PEM.`,
      cause,
    )
  }
}

function tlsError(problem: string, cause?: unknown): UserError {
  return new UserError(`The TLS certificate and its key can't be used: ${problem}`, {
    options: ['tls.cert', 'tls.key'],
    cause,
  })
}

export function pemText(pem: string | Uint8Array): string {
  return typeof pem === 'string' ? pem : new TextDecoder().decode(pem)
}
