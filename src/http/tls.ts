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
  const tls = { cert: readPem(cert, '--tls-cert'), key: readPem(key, '--tls-key') }
  return checkTls(tls, { cert: 'The file of --tls-cert', key: 'The file of --tls-key' })
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

/** @param names what messages call the two @throws UserError unless they are PEM and belong together */
export function checkTls(
  { cert, key }: TlsOptions,
  names = { cert: 'The option tls.cert', key: 'The option tls.key' },
): TlsOptions {
  for (const [name, part] of [
    ['cert', cert],
    ['key', key],
  ] as const)
    try {
      createSecureContext({ [name]: part })
    } catch (cause) {
      const isName = typeof part === 'string' && !part.includes('-----BEGIN')
      const hint = isName ? ' Pass the text of the file, not its name.' : ''
      throw new UserError(
        `${names[name]} is not a ${name === 'cert' ? 'certificate' : 'key without a passphrase'} in PEM.${hint}`,
        { cause },
      )
    }
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new UserError("The TLS certificate and the key don't belong together.", { cause })
  }
  return { cert, key }
}
