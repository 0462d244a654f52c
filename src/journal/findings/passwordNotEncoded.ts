import { groups, keyOf, type Rule } from './Evidence.ts'

const messages = {
  refused:
    'A password was sent that is no base64, and was refused. The API takes the password of a service base64-encoded (RFC 4648, padding included): encode it before it is sent.',
  twice:
    'A password was sent that is base64 of base64: it was encoded twice, and the service now has the encoded text as its password. Encode it once.',
}

/** A `password` that was refused as no base64, or that decodes to base64 again. */
export const passwordNotEncoded: Rule = (records) =>
  groups(records, ({ account, clues }) =>
    clues.password === undefined ? undefined : keyOf(account, clues.password),
  ).map((shown) => ({ message: messages[shown[0]?.clues.password ?? 'refused'], shown }))
