import type { FindingRule, Noted } from './FindingRule.ts'

/** `Accept` or `Content-Type` not sent as documented; the evidence is the names of the missing headers. */
export const headerMissing: FindingRule<readonly string[]> = {
  words: 'Accept or Content-Type not sent as the document asks',
  severity: 'low',
  // A client that lacks a header lacks it everywhere: that's one thing to fix, so it's reported once.
  isEverywhere: true,
  concerns: () => true,
  note({ headers }) {
    const missing = asked.filter((name) => !namesJson(headers[name.toLowerCase()]))
    return missing.length ? missing : undefined
  },
  find: (noted) =>
    noted.length === 0 ? [] : [{ message: tell(noted), shown: noted.map(({ record }) => record) }],
}

/** The documentation: "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
const asked = ['Accept', 'Content-Type']

/** Operations listed in the message */
const maxNamed = 5

function tell(noted: readonly Noted<readonly string[]>[]): string {
  const headersOf = new Map<string, string[]>() // by the operations that lack them
  for (const header of asked) {
    const lacking = noted.filter(({ evidence }) => evidence.includes(header))
    const operations = [...new Set(lacking.map(({ record }) => record.raw.operation))]
    const more = operations.length > maxNamed ? ` and ${operations.length - maxNamed} more` : ''
    const named = `${operations.slice(0, maxNamed).join(', ')}${more}`
    if (operations.length)
      headersOf.set(named, [...(headersOf.get(named) ?? []), `${header}: application/json`])
  }
  const sentences = [...headersOf].map(
    ([operations, headers]) => `${operations} without ${headers.join(' and ')}`,
  )
  return `The client called ${sentences.join(', and ')}. The documentation asks for both headers with every request, GET requests included; without them the real service may answer in another format, or refuse.`
}

function namesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' || /(?:^|[\s,])application\/json(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
