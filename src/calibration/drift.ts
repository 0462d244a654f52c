import type { Validator } from '../contract/validator/createValidator.ts'
import type { Calibration } from './Calibration.ts'
import { compare } from './compare.ts'
import type { Exchange } from './Exchange.ts'

/** How recorded responses break the contract. A request that breaks it and is refused is no violation. */
export function driftOf(exchanges: readonly Exchange[], validator: Validator): Calibration['drift'] {
  const found = new Map<string, Calibration['drift'][number]>()
  for (const exchange of exchanges) {
    const { operation, response, number } = exchange
    // Some recorders don't keep the content type.
    const [declared] = Object.keys(operation.responses[response.status]?.content ?? {})
    const typed = { ...exchange, response: { ...response, type: response.type ?? declared } }
    for (const issue of responseIssues(typed, validator)) {
      // Each record of a list (`[0]`, `[service_id=5001]`) may break the same rule.
      const message = issue.replace(/\[(?:\d+|\w+=[^\]]*)\]/g, '[]')
      const key = `${operation.operationId} ${response.status} ${message}`
      const drift = found.get(key) ?? {
        operation: operation.operationId,
        status: response.status,
        message,
        exchanges: [],
      }
      found.set(key, drift)
      if (drift.exchanges.at(-1) !== number) drift.exchanges.push(number)
    }
  }
  return [...found.values()]
}

/** How a response breaks the contract. A shape that isn't documented may be any. */
export function responseIssues(exchange: Exchange, validator: Validator): string[] {
  const { operation, response } = exchange
  const { status, type, body } = response
  const declared = operation.responses[status]
  const violations = validator.response(operation, { status, type, body })
  if (!declared) return violations
  const { issues, isFree } = compare(exchange, response, response)
  const types = Object.keys(declared.content)
  const hasOtherType = body !== '' && types.length > 0 && !types.includes(type ?? '')
  if (issues.length > 0) return [...(hasOtherType ? violations : []), ...issues]
  return isFree ? [] : violations
}
