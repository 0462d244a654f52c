import { isObject } from '../world/mergePatch.ts'
import { own } from '../world/own.ts'
import { fromBase64 } from '../world/base64.ts'
import type { RequestContext } from './RequestContext.ts'

/** The credentials that a request or its answer may show. */
export function secretsOf({ account, body, path, operation }: RequestContext): string[] {
  if (!account) return []
  const { world } = account
  const secrets = [world.password, ...world.tokens]
  const id = path['id']
  const service = id === undefined ? undefined : own(world.services, id)
  if (service && (operation?.operationId === 'getIpList' || operation?.operationId === 'getService'))
    secrets.push(service.password)
  if (isObject(body?.value) && typeof body.value['password'] === 'string')
    secrets.push(body.value['password'], fromBase64(body.value['password']) ?? '')
  return secrets
}
