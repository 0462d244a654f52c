import type { ContractOperation } from '../contract/Contract.ts'
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
  if (service && operation?.secrets.response.length) secrets.push(service.password)
  for (const name of operation?.secrets.request ?? []) {
    const posted = isObject(body?.value) ? body.value[name] : undefined
    if (typeof posted === 'string') secrets.push(posted, fromBase64(posted) ?? '')
  }
  return secrets
}

/** Whether whole lines of an operation's answer hold credentials, and not only fields with a name. */
export function hasSecretLines(operation: ContractOperation | undefined): boolean {
  return operation !== undefined && operation.secrets.response.some((path) => path === '' || path === '*')
}
