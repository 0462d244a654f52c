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
    return new Refusal('unauthenticated', `there is no account with this login${spaceHint('login', login)}`)
  if (secret === world.password || world.tokens.includes(secret)) return undefined
  return new Refusal(
    'unauthenticated',
    `wrong password or token for this login${spaceHint('password', secret)}`,
  )
}

/** Returns a hint about white space: `echo login:password | base64` encodes a line break. */
function spaceHint(name: string, text: string): string {
  return /\s/.test(text)
    ? `; the ${name} contains white space, such as the line break that \`echo\` adds`
    : ''
}
