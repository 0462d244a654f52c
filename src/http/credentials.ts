import { holds } from '../contract/Condition.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { fromBase64 } from '../lib/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'

export interface Credentials {
  login: string
  secret: string
}

/** Reads an Authorization header. Node joins repeated headers with commas, which makes the result invalid. */
export function readCredentials(header: string | undefined): Credentials | Refusal {
  if (header === undefined) return new Refusal('unauthenticated', 'there is no Authorization header')
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1]
  if (encoded === undefined)
    return new Refusal(
      'invalid-authorization-header',
      header.includes(', ')
        ? 'the Authorization header was sent more than once, or contains a comma'
        : /^basic .*\S\s+\S/i.test(header)
          ? 'the credentials contain white space. Encode them as base64 without line breaks'
          : 'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(encoded)
  const colon = decoded?.indexOf(':') ?? -1 // the first one, as a password may contain colons
  if (decoded !== undefined && colon >= 0)
    return { login: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
  return new Refusal(
    'invalid-credentials-format',
    decoded === undefined
      ? `the credentials are not UTF-8 text in base64 (with padding)${utf16.test(encoded) ? '; they are UTF-16' : ''}`
      : 'the decoded credentials have no colon between login and password',
  )
}

/** The byte order mark of UTF-16, in base64 */
const utf16 = /^\/(?:\/[4-7]|v[89+/])/

/** Returns the authentication failure, if any. */
export function authenticate(
  operation: ContractOperation | undefined,
  credentials: Credentials | Refusal,
  world: World | undefined,
): Refusal | undefined {
  if (world && operation?.authOptionalWhen && holds(operation.authOptionalWhen, world)) return undefined
  if (credentials instanceof Refusal) return credentials
  const { login, secret } = credentials
  if (!world)
    return new Refusal(
      'unauthenticated',
      `there is no account with this login${encodingHint('login', login)}`,
    )
  if (secret === world.password || world.tokens.includes(secret)) return undefined
  return new Refusal(
    'unauthenticated',
    `wrong password or token for this login${encodingHint('password', secret)}`,
  )
}

/** Returns a hint about characters that are probably a mistake: `echo login:password | base64` encodes a line break. */
function encodingHint(name: string, text: string): string {
  if (text.includes('\0'))
    return `; the ${name} contains NUL characters, like text in UTF-16. Encode it as UTF-8`
  if (text.includes('\ufeff'))
    return `; the ${name} contains a byte order mark, which some editors add to files`
  if (text !== text.normalize())
    return `; the ${name} contains decomposed characters (Unicode NFD), like file names on macOS`
  return /\s/.test(text)
    ? `; the ${name} contains white space, such as the line break that \`echo\` adds`
    : ''
}
