import { groups, type FindingRule } from './FindingRule.ts'

/** The documentation: "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
const wanted = ['Accept', 'Content-Type']

/** Operations listed in the message */
const maxNamed = 5

/** Notes the names of the missing headers. */
export const headerMissing: FindingRule<readonly string[], 'header-missing'> = {
  name: 'header-missing',
  severity: 'low',
  words: 'It leaves out `Accept` or `Content-Type`, or names no JSON in it.',
  advice:
    'The documentation asks for both headers with every request, GET requests included; without them the real service may respond in another format, or refuse.',
  // A client that lacks a header lacks it everywhere: that's one thing to fix, so it's reported once.
  isEverywhere: true,
  note({ record }) {
    const missing = wanted.filter((name) => !namesJson(record.requestHeaders[name.toLowerCase()]))
    return missing.length ? missing : undefined
  },
  key: () => [],
  find(noted) {
    const sentences = groups(noted, ({ note }) => note).map((group) => {
      const operations = [...new Set(group.map(({ record }) => record.operation))]
      const more = operations.length > maxNamed ? ` and ${operations.length - maxNamed} more` : ''
      const missing = group[0].note.map((header) => `${header}: application/json`).join(' and ')
      return `${operations.slice(0, maxNamed).join(', ')}${more} without ${missing}`
    })
    return [{ message: `The client called ${sentences.join(', and ')}.`, examples: noted }]
  },
}

function namesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' || /(?:^|[\s,])application\/json(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
