import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'
import type { Credentials } from './credentials.ts'

/** Returns the authentication failure, if any. */
export function authenticate(
  credentials: Credentials | Refusal,
  world: World | undefined,
): Refusal | undefined {
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
