import { fromBase64 } from './base64.ts'
import { increment } from './numbers.ts'
import { bindingConflict } from './invariants.ts'
import { ipList, isIpv4 } from './addresses.ts'
import { refuse } from './Refusal.ts'
import { dateTimeFrom, dateTimeOf, instantOf, type Instant } from './time.ts'
import type { PatchOf, Service, World } from './World.ts'

/** The form fields of a service update, as posted. */
export interface UpdateRequest {
  setip?: string | undefined
  update_list?: string | undefined
  /** base64 */
  password?: string | undefined
}

/**
 * The change for an update, or a refusal of all of it. Errors in the body itself take precedence over conflicts with
 * the state.
 */
export function updateService(
  world: World,
  id: string,
  service: Service,
  request: UpdateRequest,
  now: Instant,
): PatchOf<Service> {
  const password = request.password === undefined ? undefined : decodePassword(request.password)
  const change: PatchOf<Service> = request.setip === undefined ? {} : bind(world, id, service, request.setip)
  if (wantsList(request)) Object.assign(change, updateList(world, id, service, now))
  if (password !== undefined) change.password = password
  return change
}

/** Only the value `true` requests an IP-list update. */
export function wantsList(request: UpdateRequest): boolean {
  return request.update_list === 'true'
}

function decodePassword(encoded: string): string {
  const password = fromBase64(encoded)
  if (password === undefined)
    refuse('incorrect-posted-data', 'password is not base64 of UTF-8 text (padding included)')
  if (password === '') refuse('incorrect-posted-data', 'password is empty')
  // A control character would break the lines of an IP list
  if (/\p{Cc}/u.test(password)) refuse('incorrect-posted-data', 'password decodes to control characters')
  return password
}

function bind(world: World, id: string, service: Service, setip: string): PatchOf<Service> {
  if (service.product_type !== 'fpr')
    refuse(
      'incorrect-posted-data',
      `setip is for fpr services only; service ${id} is ${service.product_type}`,
    )
  if (!isIpv4(setip))
    refuse('invalid-ipv4', 'setip is not an IPv4 address in dotted decimal (four parts, no leading zeros)')
  // The documentation doesn't say whether its own address conflicts: assumption `rebindOwn`.
  const conflict = bindingConflict(world, setip, world.assumptions.rebindOwn === 'allowed' ? id : undefined)
  if (conflict !== undefined) refuse('ip-already-bound', conflict)
  return { bindedip: setip }
}

/** The documentation doesn't give the interval: assumption `updateListInterval`. */
function updateList(world: World, id: string, service: Service, now: Instant): PatchOf<Service> {
  const { updateListInterval } = world.limits
  const last = service.list_updated_at
  const next = last === undefined ? now : Date.parse(last) + updateListInterval * 1000
  if (now < next) {
    const seconds = Math.ceil((next - now) / 1000)
    refuse(
      'update-list-throttled',
      `the IP list of service ${id} was updated at ${dateTimeOf(Date.parse(last ?? ''))}; the interval is ${updateListInterval} s, ${seconds} s are left`,
      { timestamp: dateTimeFrom(next) },
    )
  }
  const { ips, errors, inactive, ...rest } = service
  const updated = { ...rest, list_version: increment(service.list_version ?? 0) }
  const list = ips || errors?.length || inactive?.length ? ipList(world, id, updated, ips?.length) : []
  const addresses = new Set(list)
  const remaining = (kept: readonly string[]): string[] => kept.filter((ip) => addresses.has(ip))
  // A list of another length than its type has by itself keeps it.
  const isUsual = ips?.length === ipList(world, id, updated).length
  return {
    ...(ips && { ips: isUsual ? null : list }),
    list_version: updated.list_version,
    list_updated_at: instantOf(now),
    // Addresses that leave the list also leave the network status.
    ...(errors?.length && { errors: remaining(errors) }),
    ...(inactive?.length && { inactive: remaining(inactive) }),
  }
}
