import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
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
export function readTls(cert: string | undefined, key: string | undefined): TlsOptions | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new UserError('TLS needs a certificate and its key: --tls-cert FILE --tls-key FILE')
  return { cert: readPem(cert, '--tls-cert'), key: readPem(key, '--tls-key') }
}

function readPem(file: string, flag: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new UserError(`Can't read ${JSON.stringify(file)} (${code}). Name a PEM file with ${flag}.`, {
      cause,
    })
  }
}

/** @throws UserError unless the two are PEM and belong together */
export function checkTls({ cert, key }: TlsOptions): TlsOptions {
  const wrongs = [
    [{ cert }, "The certificate (--tls-cert) can't be used: it must be PEM, without a passphrase."],
    [{ key }, "The key (--tls-key) can't be used: it must be PEM, without a passphrase."],
    [{ cert, key }, "The certificate and the key don't belong together (--tls-cert, --tls-key)."],
  ] as const
  for (const [parts, wrong] of wrongs)
    try {
      createSecureContext(parts)
    } catch (cause) {
      throw new UserError(wrong, { cause })
    }
  return { cert, key }
}
