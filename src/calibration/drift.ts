import type { ContractResponse } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import type { Calibration } from './Calibration.ts'
import type { Exchange } from './Exchange.ts'
import type { ReadAnswer } from './parts.ts'
import type { ReadExchanges } from './replay.ts'

/** How recorded responses break the contract. A request that breaks it and is refused isn't drift. */
export function driftOf({ exchanges, real }: ReadExchanges, validator: Validator): Calibration['drift'] {
  const found = new Map<string, Calibration['drift'][number]>()
  for (const [i, exchange] of exchanges.entries()) {
    const { operation, response, number } = exchange
    // Some recorders don't keep the content type.
    const type = response.type ?? typesOf(operation.responses[response.status])[0]
    const typed = { operation, response: { ...response, type } }
    for (const message of responseIssues(typed, real[i] as ReadAnswer, validator)) {
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
  }
  return [...found.values()]
}

/** How a response breaks the contract. A shape that isn't documented may be any. */
export function responseIssues(
  { operation, response: { status, type, body } }: Pick<Exchange, 'operation' | 'response'>,
  { issues, isFree }: ReadAnswer,
  validator: Validator,
): string[] {
  const declared = operation.responses[status]
  const violations = validator.response(operation, { status, type, body })
  if (!declared) return violations
  const types = typesOf(declared)
  const hasOtherType = body !== '' && types.length > 0 && !types.includes(type ?? '')
  if (issues.length > 0) return [...(hasOtherType ? violations : []), ...issues]
  return isFree ? [] : violations
}

function typesOf(declared: ContractResponse | undefined): string[] {
  return Object.keys(declared?.content ?? {})
}
