import type { Secrets } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { Store } from '../state/Store.ts'
import { fromBase64 } from '../world/base64.ts'
import { isObject } from '../world/mergePatch.ts'
import { own } from '../world/own.ts'
import type { RequestContext } from './RequestContext.ts'

/** Accounts whose credentials are looked for in what nobody is known to have sent. */
const mostAccounts = 200

/** The credentials that a request or its answer may show. */
export function secretsOf({ account, body, path }: RequestContext, store: Store): Secrets {
  if (!account) return () => everybodys(store)
  const { world } = account
  const secrets: (string | readonly string[])[] = [world.password, world.tokens]
  const id = path['id']
  const service = id === undefined ? undefined : own(world.services, id)
  if (service) secrets.push(service.password)
  if (isObject(body?.value) && typeof body.value['password'] === 'string')
    secrets.push(body.value['password'], fromBase64(body.value['password']) ?? '')
  return secrets
}

/** A request that was not authenticated may be anybody's: a wrong login with the right password. */
export function everybodys({ state: { accounts } }: Store): KnownSecrets {
  const secrets: (string | readonly string[])[] = []
  for (const login in accounts) {
    const world = accounts[login]
    if (world) secrets.push(world.password, world.tokens)
    if (secrets.length >= 2 * mostAccounts) break
  }
  return secrets
}
