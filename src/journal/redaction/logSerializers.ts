import { stdSerializers, type SerializerFn } from 'pino'
import { Redactor, type KnownSecrets } from './Redactor.ts'

/**
 * For pino: what users send stands in these fields, never in the message, and leaves without credentials.
 * @param known finds the credentials that there are
 */
export function logSerializers(known: () => KnownSecrets): Record<string, SerializerFn> {
  const redact = (value: unknown): unknown => new Redactor(known()).value(value)
  return {
    path: redact,
    violations: redact,
    err: (error: Error) => redact({ ...stdSerializers.err(error) }),
  }
}
