import { nearest } from '../lib/nearest.ts'
import { quoted } from '../lib/text.ts'
import { historyKey, type FindingRule, type ObservedRequest } from './FindingRule.ts'

export const unknownField: FindingRule<'unknown-field'> = {
  name: 'unknown-field',
  severity: 'medium',
  description: 'It sends a field that the documentation does not have, in a request that succeeds.',
  advice: 'The field is ignored, so what it was meant to do does not happen. Use the documented fields.',
  appliesTo: ({ record, ...request }) =>
    record.status === 200 && !record.forced && unknownFields(request).length > 0,
  key: (request) => [historyKey(request), request.record.operation, unknownFields(request)],
  find(requests) {
    const [first] = requests
    const { method, path } = first.entry()
    const { bodyFields } = first.operation
    const sentences = unknownFields(first).map((name) => {
      const near = nearest(name, bodyFields) ?? sharingAnEnd(name, bodyFields)
      const hint = near === undefined ? `It has: ${bodyFields.join(', ')}.` : `Did you mean "${near}"?`
      return `${method} ${path} was sent ${quoted(name)}, a field that the API does not have. ${hint}`
    })
    return [{ message: sentences.join(' '), examples: requests }]
  },
}

function unknownFields({ operation, body }: Pick<ObservedRequest, 'operation' | 'body'>): string[] {
  const { bodyFields } = operation
  return bodyFields.length === 0 ? [] : Object.keys(body).filter((name) => !bodyFields.includes(name))
}

/** The known name that shares the longest beginning or end of two letters or more: `setip` for `ip`. */
function sharingAnEnd(name: string, known: readonly string[]): string | undefined {
  for (let length = name.length; length >= 2; length--) {
    const found = known.find(
      (one) => one.startsWith(name.slice(0, length)) || one.endsWith(name.slice(-length)),
    )
    if (found !== undefined) return found
  }
  return undefined
}
