import type { ClosingRequest, FindingRule, Noted } from './FindingRule.ts'

/** `Accept` or `Content-Type` not sent as the document asks; the names of those that are missing. */
export const headerMissing: FindingRule<readonly string[]> = {
  words: 'Accept or Content-Type not sent as the document asks',
  severity: 'low',
  concerns: () => true,
  note: ({ headers }) =>
    missing[Number(!namesJson(headers, 'accept'))]?.[Number(!namesJson(headers, 'content-type'))],
  // A header that is missing is missing everywhere: that is one thing to mend, and told once.
  find: (noted) =>
    noted.length === 0 ? [] : [{ message: tell(noted), shown: noted.map(({ record }) => record) }],
}

/** Operations that are named */
const most = 5

function tell(noted: readonly Noted<readonly string[]>[]): string {
  const headersOf = new Map<string, string[]>() // by the operations that lack them
  for (const header of ['Accept', 'Content-Type']) {
    const lacking = noted.filter(({ evidence }) => evidence.includes(header))
    const operations = [...new Set(lacking.map(({ record }) => record.operation))]
    const more = operations.length > most ? ` and ${operations.length - most} more` : ''
    const named = `${operations.slice(0, most).join(', ')}${more}`
    if (operations.length)
      headersOf.set(named, [...(headersOf.get(named) ?? []), `${header}: application/json`])
  }
  const sentences = [...headersOf].map(
    ([operations, headers]) => `${operations} without ${headers.join(' and ')}`,
  )
  return `The client called ${sentences.join(', and ')}. The documentation asks for both headers with every request, GET requests included; without them the real service may answer in another format, or refuse.`
}

/** By whether Accept is missing, then by whether Content-Type is: every request is asked, and most lack nothing. */
const missing = [
  [undefined, ['Content-Type']],
  [['Accept'], ['Accept', 'Content-Type']],
] as const

/** "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
function namesJson(headers: ClosingRequest['headers'], name: string): boolean {
  const header = headers[name]
  return (
    header === 'application/json' || /(?:^|[\s,])application\/json(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
