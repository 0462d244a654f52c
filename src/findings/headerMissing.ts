import { type FindingRule, type ObservedRequest } from './FindingRule.ts'
import { groupBy } from '../lib/groups.ts'

/** The API document says: "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
const requiredHeaders = ['Accept', 'Content-Type']

/** Maximum number of operations listed in the message */
const maxNamed = 5

export const headerMissing: FindingRule<'header-missing'> = {
  name: 'header-missing',
  severity: 'low',
  description: 'It leaves out `Accept` or `Content-Type`, or sends one that does not include JSON.',
  advice:
    'The documentation requires both headers on every request, including GETs. Without them, the real service may respond in another format or refuse the request.',
  // A client that lacks a header usually lacks it everywhere. One report is enough.
  isPerClient: true,
  appliesTo: (request) => missingHeaders(request).length > 0,
  key: () => [],
  find(requests) {
    const sentences = groupBy(requests, missingHeaders).map((group) => {
      const operations = [...new Set(group.map(({ record }) => record.operation))]
      const more = operations.length > maxNamed ? ` and ${operations.length - maxNamed} more` : ''
      const missing = missingHeaders(group[0]).map((header) => `${header}: application/json`)
      return `${operations.slice(0, maxNamed).join(', ')}${more} without ${missing.join(' and ')}`
    })
    return [{ message: `The client called ${sentences.join(', and ')}.`, examples: requests }]
  },
}

function missingHeaders({ record }: ObservedRequest): string[] {
  return requiredHeaders.filter((name) => !includesJson(record.requestHeaders[name.toLowerCase()]))
}

function includesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' ||
    /(?:^|[\s,])(?:application\/(?:json|\*)|\*\/\*)(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
