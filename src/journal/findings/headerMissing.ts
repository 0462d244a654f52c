import { groups, keyOf, type Rule } from './Evidence.ts'

/** `Accept` or `Content-Type` not sent as the document asks. */
export const headerMissing: Rule = (records) =>
  groups(records, ({ account, operation, clues }) =>
    operation === null || clues.missing.length === 0
      ? undefined
      : keyOf(account, operation, ...clues.missing),
  ).map((shown) => {
    const [first] = shown
    const headers = (first?.clues.missing ?? []).map((name) => `${name}: application/json`).join(' and ')
    return {
      message: `${first?.operation} was called without ${headers}. The documentation asks for both headers with every request, GET requests included; the real service may answer in another format, or refuse, without them.`,
      shown,
    }
  })
