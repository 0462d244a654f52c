import { groups, type FindingRule, type ObservedRequest } from './FindingRule.ts'

/** The API document says: "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
const wanted = ['Accept', 'Content-Type']

/** Operations listed in the message */
const maxNamed = 5

export const headerMissing: FindingRule<'header-missing'> = {
  name: 'header-missing',
  severity: 'low',
  description: 'It leaves out `Accept` or `Content-Type`, or names no JSON in it.',
  advice:
    'The documentation asks for both headers with every request, GET requests included; without them the real service may respond in another format, or refuse.',
  // A client that lacks a header usually lacks it everywhere. One report is enough.
  isPerClient: true,
  appliesTo: (request) => missingIn(request).length > 0,
  key: () => [],
  find(requests) {
    const sentences = groups(requests, missingIn).map((group) => {
      const operations = [...new Set(group.map(({ record }) => record.operation))]
      const more = operations.length > maxNamed ? ` and ${operations.length - maxNamed} more` : ''
      const missing = missingIn(group[0]).map((header) => `${header}: application/json`)
      return `${operations.slice(0, maxNamed).join(', ')}${more} without ${missing.join(' and ')}`
    })
    return [{ message: `The client called ${sentences.join(', and ')}.`, examples: requests }]
  },
}

function missingIn({ record }: ObservedRequest): string[] {
  return wanted.filter((name) => !includesJson(record.requestHeaders[name.toLowerCase()]))
}

function includesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' ||
    /(?:^|[\s,])(?:application\/(?:json|\*)|\*\/\*)(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
