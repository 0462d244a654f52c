import type { PathIssue } from '../lib/PathIssue.ts'
import { applyPatch } from '../world/change.ts'
import { toCents, generatedIdLimit, maxMoney, formatMoney, subtract } from '../world/numbers.ts'
import { formatDate, type Instant } from '../world/time.ts'
import type { Addition, TimelineEntry, TransitionNames, World, WorldChange } from '../world/World.ts'
import { followingDueDate } from './billing.ts'
import { fillRecord, getNoun, type Service, type Usage } from './records.ts'
import { scheduleRenewal } from './renewals.ts'
import type { RotatingService } from './services.ts'

/*
 * The transitions of timeline entries, as alternatives to a patch. Each is a rule that uses the account's state when the
 * entry is due.
 */
export interface Transition {
  description: string
  /** Returns an issue if the named record doesn't exist */
  missing: (world: World) => PathIssue | undefined
  /** Returns the change, or the reason why there is none. The named record must exist. */
  apply: (world: World, now: Instant, usages: Usages) => WorldChange | string
}

/** Usage that the world doesn't include yet, by service id. */
export type Usages = Map<string, Usage>

/** The limit that sets how long an order's service or invoice keeps its initial status, by the assumption about that status. */
export const limitByAssumption: Readonly<Record<string, 'activation' | 'payment'>> = {
  orderedService: 'activation',
  orderedInvoice: 'payment',
}

/** Adds pending usage to a world. Additions are collected first, because each would copy all days. */
export function withUsages(world: World, usages: Usages): World {
  if (usages.size === 0) return world
  const services = Object.fromEntries([...usages].map(([id, usage]) => [id, { usage }]))
  return { ...applyPatch(world, { services }), version: world.version }
}

/** Removes the usage that `withUsages` adds later from a change. */
export function withoutUsages({ services: _added, ...patch }: WorldChange): WorldChange {
  return patch
}

/** The names of the transitions. */
export const transitions = [
  'add',
  'activate',
  'pay',
  'renew',
] as const satisfies readonly (keyof TransitionNames)[]

/** The flags of `proxysim timeline add`. */
export const transitionFlags = [
  {
    flag: '--add <json>',
    description: 'add credit, or usage of ppr services (MB), for example {"credit": 50}',
  },
  { flag: '--activate <service>', description: 'activate this Pending service' },
  { flag: '--pay <invoice>', description: 'pay this open invoice from the credit' },
  {
    flag: '--renew <service>',
    description: 'renew this service from the credit, or suspend it if the credit is too low',
  },
] as const

/** The transition that an entry names; undefined if it has a patch. */
export function findTransition({
  add,
  activate,
  pay,
  renew,
}: Partial<TimelineEntry>): Transition | undefined {
  if (add) return toAddition(add)
  if (activate !== undefined)
    return {
      description: `service ${activate} is activated`,
      missing: checkExists('services', 'activate', activate),
      apply: (world, now) => activateService(world, activate, now),
    }
  if (pay !== undefined)
    return {
      description: `invoice ${pay} is paid`,
      missing: checkExists('invoices', 'pay', pay),
      apply: (world, now) => payInvoice(world, pay, now),
    }
  if (renew === undefined) return undefined
  return {
    description: `renewal of service ${renew}`,
    missing: checkExists('services', 'renew', renew),
    apply: (world, now) => renewService(world, renew, now),
  }
}

/** Describes by how much an entry moves the credit, or that a renewal fails: `credit +5.00`, `not paid: Suspended`. */
export function describeMoved(
  { credit: before }: World,
  { renew }: TimelineEntry,
  { credit, services }: WorldChange,
): string | undefined {
  if (renew !== undefined && services?.[renew]?.status === 'Suspended') return 'not paid: Suspended'
  if (typeof credit !== 'number' || credit === before) return undefined
  const moved = subtract(credit, before)
  return `credit ${moved > 0 ? '+' : ''}${formatMoney(moved)}`
}

function checkExists(kind: 'services' | 'invoices', field: string, id: number): Transition['missing'] {
  return (world) =>
    world[kind].has(id) ? undefined : { path: [field], message: `there is no ${getNoun(kind)} ${id}` }
}

function activateService(world: World, id: number, now: Instant): WorldChange | string {
  const service = world.services.get(id) as Service
  if (service.status !== 'Pending') return `service ${id} is ${service.status}; it must be Pending`
  const activated = { status: 'Active' } as const
  return {
    services: { [id]: activated },
    ...scheduleRenewal(world, id, service, { ...service, ...activated }, now),
  }
}

const openStatuses: readonly string[] = ['Unpaid', 'Payment Pending', 'Pending']

function payInvoice(
  { invoices, credit, assumptions: { timeZone } }: World,
  id: number,
  now: Instant,
): WorldChange | string {
  const { status, amount } = invoices.get(id) as { status: string; amount: number }
  if (!openStatuses.includes(status))
    return `invoice ${id} is ${status}; it must be ${openStatuses.slice(0, -1).join(', ')} or ${openStatuses.at(-1)}`
  if (toCents(credit) < toCents(amount))
    return `credit ${formatMoney(credit)} is less than ${formatMoney(amount)}`
  const invoice = { status: 'Paid', date_paid: formatDate(now, timeZone) } as const
  return { invoices: { [id]: invoice }, ...(amount > 0 && { credit: subtract(credit, amount) }) }
}

/** Charges for another billing cycle, or suspends the service if the credit doesn't suffice. */
function renewService(world: World, id: number, now: Instant): WorldChange | string {
  const service = world.services.get(id) as Service
  const { status, price, billingcycle, nextduedate, regdate } = service
  const { next, credit, seed } = world
  const { timeZone } = world.assumptions
  if (status !== 'Active') return `service ${id} is ${status}; it must be Active`
  const isFree = price === 0 || billingcycle === 'Free'
  if (!isFree && next.invoice >= generatedIdLimit)
    return `no id below ${generatedIdLimit} is left for another invoice`
  const isPaid = isFree || toCents(credit) >= toCents(price)
  const day = formatDate(now, timeZone)
  // A service that was due before renewals were switched on is renewed once, up to the first due date ahead.
  const due = followingDueDate(nextduedate, regdate, billingcycle, day > nextduedate ? day : nextduedate)
  const change: WorldChange = isPaid
    ? {
        services: { [id]: { nextduedate: due } },
        ...scheduleRenewal(world, id, service, { ...service, nextduedate: due }, now),
      }
    : { services: { [id]: { status: 'Suspended' } } }
  if (isFree) return change
  const invoice = fillRecord(
    'invoices',
    { serviceid: id, status: isPaid ? 'Paid' : 'Unpaid', created_at: day },
    { id: String(next.invoice), seed, now, timeZone, owner: service },
  )
  return {
    ...change,
    ...(isPaid && { credit: subtract(credit, price) }),
    invoices: { [next.invoice]: invoice },
    next: { ...change.next, invoice: next.invoice + 1 },
  }
}

function toAddition(add: Addition): Transition {
  const { credit = 0, services = {} } = add
  const hasUsage = Object.keys(services).length > 0
  const descriptions = [
    ...(hasUsage || credit === 0 ? ['usage was added'] : []),
    ...(credit === 0 ? [] : [credit > 0 ? 'credit was added' : 'credit was deducted']),
  ]
  return {
    description: descriptions.join(', '),
    missing: ({ services: existing }) => {
      for (const id of Object.keys(services)) {
        const service = existing.get(id)
        if (service?.usage) continue
        const message = service
          ? `service ${id} is ${service.product_type}; usage is for ppr services only`
          : `there is no service ${id}`
        return { path: ['add', 'services', id], message }
      }
      return undefined
    },
    apply: (world, now, usages) =>
      addAmounts(world, add, formatDate(now, world.assumptions.timeZone), usages),
  }
}

function addAmounts(
  world: World,
  { credit = 0, services = {} }: Addition,
  day: string,
  usages: Usages,
): WorldChange | string {
  const sum = subtract(world.credit, -credit)
  if (sum < 0) return `credit ${formatMoney(world.credit)} is less than ${formatMoney(-credit)}`
  if (sum > maxMoney)
    return `credit ${formatMoney(world.credit)} plus ${formatMoney(credit)} is more than ${formatMoney(maxMoney)}`
  const usagePatches = Object.entries(services).map(([id, { usage: amount }]) => {
    const { stats, ...rest } = (world.services.get(id) as RotatingService).usage
    const usage = usages.get(id) ?? { ...rest, stats: { ...stats } }
    const total = (before = 0): number => Math.min(before + amount, maxMoney)
    const patch = {
      stats: { [day]: total(usage.stats[day]) },
      ...(usage.rate !== undefined && { rate: total(usage.rate) }),
    }
    usages.set(id, Object.assign(usage, patch, { stats: Object.assign(usage.stats, patch.stats) }))
    return [id, { usage: patch }] as const
  })
  return {
    ...(credit !== 0 && { credit: sum }),
    ...(usagePatches.length > 0 && { services: Object.fromEntries(usagePatches) }),
  }
}
