import { groups, type ClosingRequest, type FindingRule } from './FindingRule.ts'

/** `Accept` or `Content-Type` not sent as the document asks; the names of those that are missing. */
export const headerMissing: FindingRule<readonly string[]> = {
  words: 'Accept or Content-Type not sent as the document asks',
  concerns: () => true,
  note: ({ headers }) =>
    missing[Number(!namesJson(headers, 'accept'))]?.[Number(!namesJson(headers, 'content-type'))],
  find: (noted) =>
    groups(noted, ({ record, evidence }) => [record.account, record.operation, evidence]).map((group) => {
      const [first] = group
      const headers = first?.evidence.map((name) => `${name}: application/json`).join(' and ')
      return {
        message: `${first?.record.operation} was called without ${headers}. The documentation asks for both headers with every request, GET requests included; the real service may answer in another format, or refuse, without them.`,
        shown: group.map(({ record }) => record),
      }
    }),
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
