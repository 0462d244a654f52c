import { groups, type FindingRule } from './FindingRule.ts'

/** The documentation: "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
const asked = ['Accept', 'Content-Type']

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
  note({ headers }) {
    const missing = asked.filter((name) => !namesJson(headers[name.toLowerCase()]))
    return missing.length ? missing : undefined
  },
  find(noted) {
    if (noted.length === 0) return []
    const lacking = asked.map((header) => {
      const without = noted.filter(({ note }) => note.includes(header))
      return { header, operations: named(without.map(({ record }) => record.operation)) }
    })
    const sentences = groups(
      lacking.filter(({ operations }) => operations !== ''),
      ({ operations }) => [operations],
    ).map((group) => {
      const headers = group.map(({ header }) => `${header}: application/json`)
      return `${group[0]?.operations} without ${headers.join(' and ')}`
    })
    return [{ message: `The client called ${sentences.join(', and ')}.`, examples: noted }]
  },
}

function named(operations: readonly (string | null)[]): string {
  const all = [...new Set(operations)]
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''
  return `${all.slice(0, maxNamed).join(', ')}${more}`
}

function namesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' || /(?:^|[\s,])application\/json(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}
