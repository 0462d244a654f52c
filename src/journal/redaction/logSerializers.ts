import { stdSerializers } from 'pino'
import { Redactor } from './Redactor.ts'

/** For pino: what users send stands in fields, never in the message, and leaves without credentials. */
export const logSerializers = {
  path: redact,
  violations: redact,
  err: (error: Error) => redact(stdSerializers.err(error)),
}

function redact(value: unknown): unknown {
  const redactor = new Redactor([])
  return redactor.value(value)
}
