import type { Judge } from './Judge.ts'
import type { Calibration } from './Calibration.ts'
import type { Exchange } from './Exchange.ts'
import type { ReadAnswer } from './parts.ts'
import type { ReadExchanges } from './replay.ts'

/** How recorded responses break the contract. A request that breaks it and is refused isn't drift. */
export function driftOf({ exchanges, real }: ReadExchanges, judge: Judge): Calibration['drift'] {
  const found = new Map<string, Calibration['drift'][number]>()
  for (const [i, exchange] of exchanges.entries())
    for (const message of driftIn(exchange, real[i] as ReadAnswer, judge)) {
      const { operation, response, number } = exchange
      // Each record of a list (`[0]`, `[service_id=5001]`) may break the same rule.
      const general = message.replace(/\[(?:\d+|\w+=[^\]]*)\]/g, '[]')
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
  { operation, response: { status, type, body } }: Exchange,
  { issues, isFree }: ReadAnswer,
  { validator }: Judge,
): string[] {
  const declared = operation.responses[status]
  const types = Object.keys(declared?.content ?? {})
  // Some recorders don't keep the content type.
  const violations = validator.response(operation, { status, type: type ?? types[0], body })
  if (!declared) return violations
  const hasOtherType = type !== undefined && body !== '' && types.length > 0 && !types.includes(type)
  if (issues.length > 0) return [...(hasOtherType ? violations : []), ...issues]
  return isFree ? [] : violations
}
