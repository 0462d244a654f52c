import { fromBase64 } from './base64.ts'
import { serviceBoundTo } from './bindings.ts'
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
  const holder = serviceBoundTo(world, setip)
  if (holder !== undefined && holder !== id)
    refuse('ip-already-bound', `${setip} is bound to service ${holder} already`)
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
  return { ips: null, list_version: (service.list_version ?? 0) + 1, list_updated_at: instantOf(now) }
}
