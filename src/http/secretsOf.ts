import type { Secrets } from '../journal/RawRecord.ts'
import { fromBase64 } from '../world/base64.ts'
import { isObject } from '../world/mergePatch.ts'
import type { World } from '../world/World.ts'
import type { RequestContext } from './RequestContext.ts'

/** The credentials that a request or its response may contain; undefined if they could be anyone's. */
export function secretsOf({ body, path }: RequestContext, world: World | undefined): Secrets | undefined {
  if (!world) return undefined
  const secrets: (string | readonly string[])[] = [world.password, world.tokens]
  const id = path['id']
  const service = id === undefined ? undefined : world.services.get(id)
  if (service) secrets.push(service.password)
  if (isObject(body?.value) && typeof body.value['password'] === 'string')
    secrets.push(body.value['password'], fromBase64(body.value['password']) ?? '')
  return secrets
}
