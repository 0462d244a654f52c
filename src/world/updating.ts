import { fromBase64 } from './base64.ts'
import { countOn } from './counting.ts'
import { bindingConflict } from './invariants.ts'
import { ipList } from './ipList.ts'
import { isIpv4 } from './ipv4.ts'
import { refuse } from './Refusal.ts'
import { dateTimeOf, instantOf, type Instant } from './time.ts'
import type { Service, World } from './World.ts'
import type { PatchOf } from './WorldChange.ts'

/** What an update of a service may ask for, as posted. */
export interface UpdateRequest {
  setip?: string | undefined
  update_list?: string | undefined
  /** base64 */
  password?: string | undefined
}

/**
 * The change of an update: all that was asked for, or a refusal.
 * What is wrong in the body itself comes first, then what stands against it in the world.
 */
export function updateService(
  world: World,
  id: string,
  service: Service,
  asked: UpdateRequest,
  now: Instant,
): PatchOf<Service> {
  const password = asked.password === undefined ? undefined : decodePassword(asked.password)
  return {
    ...(asked.setip !== undefined && bind(world, id, service, asked.setip)),
    ...(wantsList(asked) && updateList(world, id, service, now)),
    ...(password !== undefined && { password }),
  }
}

/** Only the value `true` requests an IP-list update. */
export function wantsList(asked: UpdateRequest): boolean {
  return asked.update_list === 'true'
}

function decodePassword(encoded: string): string {
  const password = fromBase64(encoded)
  if (password === undefined)
    refuse('incorrect-posted-data', 'password is not base64 of UTF-8 text (padding included)')
  if (password === '') refuse('incorrect-posted-data', 'password is empty')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character would break the lines of an IP list
  if (/[\u0000-\u001f\u007f]/.test(password))
    refuse('incorrect-posted-data', 'password decodes to control characters')
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
  // Whether its own address conflicts, the document does not say: assumption `rebindOwn`.
  const conflict = bindingConflict(world, setip, world.assumptions.rebindOwn === 'allowed' ? id : undefined)
  if (conflict !== undefined) refuse('ip-already-bound', conflict)
  return { bindedip: setip }
}

/** The document gives no length for the interval: assumption `updateListInterval`. */
function updateList(world: World, id: string, service: Service, now: Instant): PatchOf<Service> {
  const { updateListInterval } = world.limits
  const last = service.list_updated_at
  const next = last === undefined ? now : Date.parse(last) + updateListInterval * 1000
  if (now < next) {
    const seconds = Math.ceil((next - now) / 1000)
    // The named second must be one at which it works: a part of a second is rounded up.
    const timestamp = dateTimeOf(Math.ceil(next / 1000) * 1000)
    refuse(
      'update-list-throttled',
      `the IP list of service ${id} was updated at ${dateTimeOf(Date.parse(last ?? ''))}; the interval is ${updateListInterval} s, ${seconds} s are left`,
      { timestamp },
    )
  }
  const { ips: _replaced, ...rest } = service
  const updated = { ...rest, list_version: countOn(service.list_version ?? 0) }
  const { errors, inactive } = service
  const addresses = new Set(errors?.length || inactive?.length ? ipList(world, id, updated) : [])
  const remaining = (ips: readonly string[]): string[] => ips.filter((ip) => addresses.has(ip))
  return {
    ips: null,
    list_version: updated.list_version,
    list_updated_at: instantOf(now),
    // An address that is no longer of the service is not in its network status either.
    ...(errors?.length && { errors: remaining(errors) }),
    ...(inactive?.length && { inactive: remaining(inactive) }),
  }
}
