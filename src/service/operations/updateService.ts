import { isIPv4 } from 'node:net'
import { fromBase64 } from '../../lib/base64.ts'
import { bindingConflict } from '../invariants.ts'
import { increment } from '../../world/numbers.ts'
import { refuseWith, type Refuse } from '../refuse.ts'
import { findServiceWithClient, requireActive } from '../services.ts'
import { dateTimeRoundedUp, formatDateTime, frozenHint, toIsoString, type Instant } from '../../world/time.ts'
import type { PatchOf, Service, World } from '../../world/World.ts'
import type { Operation, ResponseBodyOf, Run } from './Operation.ts'

const refuse: Refuse<'updateService'> = refuseWith

/** Applies all requested changes, or none if one is refused. */
const run: Run<'updateService'> = (input, world, now) => {
  const { id } = input.requirePath()
  const service = findServiceWithClient(world, id)
  requireActive(service, id)
  const { setip, update_list, password } = input.requireBody() ?? {}
  const wantsList = update_list === 'true'
  // Errors in the body take precedence over conflicts with the state.
  const change: PatchOf<Service> = {
    ...(password !== undefined && { password: decodePassword(password) }),
    ...(setip !== undefined && { bindedip: checkBindable(world, id, service, setip) }),
    ...(wantsList && updateList(world, id, service, now)),
  }
  // The documentation doesn't say whether the response includes fields that weren't sent; the assumption `updateResult` decides.
  const includesAll = world.assumptions.updateResult === 'all'
  const body: ResponseBodyOf<'updateService'> = {}
  if (includesAll || setip !== undefined) body.setip = { success: 'IP address updated successfully' }
  if (includesAll || wantsList) body.update_list = { success: 'IP list updated successfully' }
  if (includesAll || password !== undefined) body.password = { success: 'Password updated successfully' }
  const isChanged = Object.entries(change).some(([field, value]) => service[field as keyof Service] !== value)
  return { body, change: isChanged ? { services: { [id]: change } } : undefined }
}

function decodePassword(encoded: string): string {
  const password = fromBase64(encoded)
  if (password === undefined)
    refuse('incorrect-posted-data', 'password is not base64-encoded UTF-8 text (with padding)')
  if (password === '') refuse('incorrect-posted-data', 'password is empty')
  // Control characters would break the lines of an IP list.
  if (/\p{Cc}/u.test(password)) refuse('incorrect-posted-data', 'password contains control characters')
  return password
}

function checkBindable(world: World, id: string, { product_type }: Service, setip: string): string {
  if (product_type !== 'fpr')
    refuse('incorrect-posted-data', `setip is for fpr services only; service ${id} is ${product_type}`)
  if (!isIPv4(setip))
    refuse('invalid-ipv4', 'setip is not an IPv4 address in dotted decimal (four parts, no leading zeros)')
  // The documentation doesn't say whether the service's own address conflicts; the assumption `rebindOwn` decides.
  const conflict = bindingConflict(world, setip, world.assumptions.rebindOwn === 'allowed' ? id : undefined)
  if (conflict !== undefined) refuse('ip-already-bound', conflict)
  return setip
}

/** Updates the IP list, unless the last update is too recent (assumption `updateListInterval`). */
function updateList(
  { clock, limits, assumptions: { timeZone } }: World,
  id: string,
  service: Service,
  now: Instant,
): PatchOf<Service> {
  const { list_updated_at = '', list_version = 0, ips, errors, inactive } = service
  const last = Date.parse(list_updated_at) // NaN if it was never updated; then no update is too early
  const next = last + limits.updateListInterval * 1000
  const left = Math.ceil((next - now) / 1000)
  if (left > 0)
    refuse(
      'update-list-throttled',
      `the IP list of service ${id} was updated at ${formatDateTime(last, timeZone)}; the interval is ${limits.updateListInterval} s, ${left} s are left${frozenHint(clock, left)}`,
      { timestamp: dateTimeRoundedUp(next, timeZone) },
    )
  // All addresses are replaced, so their network status is cleared.
  return {
    ...(ips && { ips: null }),
    ...(errors && { errors: [] }),
    ...(inactive && { inactive: [] }),
    list_version: increment(list_version),
    list_updated_at: toIsoString(now),
  }
}

export const updateService: Operation<'updateService'> = {
  run,
  dependsOnTime: ({ update_list }) => update_list === 'true',
}
