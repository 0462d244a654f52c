import type { Secrets } from '../journal/RawRecord.ts'
import { fromBase64 } from '../world/base64.ts'
import { isObject } from '../world/mergePatch.ts'
import { own } from '../world/own.ts'
import type { RequestContext } from './RequestContext.ts'

/** The credentials that a request or its response may contain; undefined if they could be anyone's. */
export function secretsOf({ account, body, path }: RequestContext): Secrets | undefined {
  if (!account) return undefined
  const { world } = account
  const secrets: (string | readonly string[])[] = [world.password, world.tokens]
  const id = path['id']
  const service = id === undefined ? undefined : own(world.services, id)
  if (service) secrets.push(service.password)
  if (isObject(body?.value) && typeof body.value['password'] === 'string')
    secrets.push(body.value['password'], fromBase64(body.value['password']) ?? '')
  return secrets
}
