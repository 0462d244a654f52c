import { stdSerializers, type SerializerFn } from 'pino'
import { Redactor, type KnownSecrets } from './Redactor.ts'

/**
 * Pino serializers: user input is only logged in these fields, never in the message, and gets redacted.
 * @param known finds all known credentials
 */
export function logSerializers(known: () => KnownSecrets): Record<string, SerializerFn> {
  const redact = (value: unknown): unknown => new Redactor(known()).value(value)
  return {
    path: redact,
    violations: redact,
    err: (error: Error) => redact({ ...stdSerializers.err(error) }),
  }
}
