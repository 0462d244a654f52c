import type { Judge } from './Judge.ts'
import type { Calibration } from './Calibration.ts'
import type { Exchange } from './Exchange.ts'
import type { ReadAnswer } from './parts.ts'
import type { Recording } from './replay.ts'

/** How recorded responses break the contract. A request that breaks it and is refused isn't drift. */
export function driftOf({ exchanges, real }: Recording, judge: Judge): Calibration['drift'] {
  const found = new Map<string, Calibration['drift'][number]>()
  for (const [i, exchange] of exchanges.entries())
    for (const message of driftIn(exchange, real[i] as ReadAnswer, judge)) {
      const { operation, response, number } = exchange
      // Each record of a list may break the same rule.
      const general = message.replace(/\[[^\]]*\]/g, '[]')
      const key = `${operation.operationId} ${response.status} ${general}`
      const known = found.get(key)
      if (known) {
        if (known.exchanges.at(-1) !== number) known.exchanges.push(number)
      } else
        found.set(key, {
          operation: operation.operationId,
          status: response.status,
          message: general,
          exchanges: [number],
        })
    }
  return [...found.values()]
}

function driftIn(
  { operation, response }: Exchange,
  { issues: found, isFree }: ReadAnswer,
  { validator }: Judge,
): string[] {
  const issues = found.map(({ message }) => message)
  const { status, type, body } = response
  const declared = operation.responses[status]
  if (!declared)
    return [
      `status ${status} is not among those of ${operation.operationId} (${Object.keys(operation.responses).join(', ')})`,
    ]
  const types = Object.keys(declared.content)
  // Some recorders don't keep the content type.
  const isTypeKnown = type !== undefined || body === ''
  const messages: string[] = []
  if (isTypeKnown && body !== '' && types.length > 0 && !types.includes(type ?? ''))
    messages.push(`content type ${type} is not among those of a ${status} (${types.join(', ')})`)
  if (issues.length > 0) return [...messages, ...issues]
  if (messages.length > 0 || isFree) return isFree ? [] : messages
  return validator.response(operation, { status, type: type ?? types[0], body }).map((message) => message)
}
