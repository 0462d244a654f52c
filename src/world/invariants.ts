import { generatedIdLimit, largestFault, mostFaults, nextIdAfter } from './numbers.ts'
import { recordsOf, patchedFieldsOf, type Draft } from './Draft.ts'
import { fieldsOf } from './fields.ts'
import { ipList } from './addresses.ts'
import type { NamedFault, NamedProduct, NamedService } from './NamedWorld.ts'
import { suggestion } from './nearest.ts'
import type { Table } from './Table.ts'
import type { Assumptions, ProductType } from './values.ts'
import type { NextIds, World } from './World.ts'

/*
 * What makes a world valid, beyond the schema of single values. Every change is checked here: scenarios, patches,
 * orders, updates, faults. What passes can be filled in, exported and reloaded, and every response from it keeps the
 * contract.
 */

/** An issue, and where it is. */
export interface PathIssue {
  path: readonly (string | number)[]
  message: string
  /** Whether the last key of the path is wrong, rather than its value */
  isKey?: boolean
}

/** What faults need to know about an operation of the contract. */
export interface FaultTarget {
  operationId: string
  pathNames: readonly string[]
  bodyTypes: readonly string[]
  cases: readonly { name: string }[]
}

/** Semantic checks of a draft whose schema has been checked already. */
export function checkDraft(draft: Draft, operations: readonly FaultTarget[]): PathIssue[] {
  const { world, named } = draft
  const after: After = { ...recordsOf(draft), assumptions: { ...world.assumptions, ...named.assumptions } }
  const issues: PathIssue[] = []
  for (const [id, { product_type }] of Object.entries(named.products ?? {}))
    issues.push(...under(['products', id], foreignFields(draft, 'products', id, product_type)))
  for (const [id, service] of Object.entries(named.services ?? {}))
    issues.push(...under(['services', id], checkService(draft, after, id, service)))
  if (world.assumptions.heldAddress === 'released' && after.assumptions.heldAddress === 'held')
    issues.push(...heldTwice(after, named.services ?? {}))
  issues.push(...checkFaults(named.faults ?? [], operations), ...checkIds(draft))
  return issues
}

/** A world as it will be, as far as it matters here: what isn't given comes from defaults later. */
interface After extends ReturnType<typeof recordsOf> {
  assumptions: Assumptions
}

/** The issues of a part, with paths from further up. */
export function under(above: readonly (string | number)[], issues: readonly PathIssue[]): PathIssue[] {
  return issues.map((issue) => ({ ...issue, path: [...above, ...issue.path] }))
}

/** The fields that the documentation gives to the other type only. */
function foreignFields(
  draft: Draft,
  kind: 'products' | 'services',
  id: string,
  type: ProductType | undefined,
): PathIssue[] {
  if (type === undefined) return []
  // Fields left from the record's former type go with it, unless the patch sets them.
  const given = patchedFieldsOf(draft, kind, id)
  return fieldsOf(kind)
    .filter(([name, { only = type }]) => only !== type && given[name] !== undefined && given[name] !== null)
    .map(([name, { only }]) => ({
      path: [name],
      message: `${name} is for ${only} only, and this is ${type}`,
      isKey: true,
    }))
}

function checkService(draft: Draft, after: After, id: string, service: NamedService): PathIssue[] {
  const product = after.products.get(service.product)
  const type = typeOf(service, after)
  const issues: PathIssue[] = []
  if (!product && (type === undefined || service.product_name === undefined || service.price === undefined))
    issues.push({
      path: ['product'],
      message: `No product ${service.product}. Available: ${someOf(after.products)}`,
    })
  if (service.service_id !== undefined && String(service.service_id) !== id)
    issues.push({ path: ['service_id'], message: `Must be ${id}, as the key of the service` })
  issues.push(...foreignFields(draft, 'services', id, type), ...sessionsTwice(service))
  if (type) issues.push(...listIssues(draft, id, { ...service, product_type: type }, product))
  // Of two that the patch names, the second is wrong.
  const isWrong = (other: number): boolean => other < Number(id) || !draft.named.services?.[other]
  const ip = holdsAddress(service, after) ? service.bindedip : undefined
  const holder = ip && holderOf(after, ip, (other) => String(other) !== id && isWrong(other))
  if (ip && holder) issues.push({ path: ['bindedip'], message: isBound(ip, holder) })
  return issues
}

/** The service that holds an address: it can't be bound to another one. */
function holderOf(after: After, ip: string, isMeant: (id: number) => boolean): number | undefined {
  for (const id of after.services.idsOf(ip))
    if (isMeant(id) && holdsAddress(after.services.get(id), after)) return id
  return undefined
}

/** Whether what is bound to a service is taken. The documentation doesn't say: assumption `heldAddress`. */
function holdsAddress(service: NamedService | undefined, after: After): boolean {
  if (!service || typeOf(service, after) === 'ppr') return false
  return after.assumptions.heldAddress === 'held' || (service.status ?? 'Active') === 'Active'
}

/** A service's type is its own, or else its product's. */
function typeOf(
  { product_type, product }: NamedService,
  { products }: Pick<After, 'products'>,
): ProductType | undefined {
  return product_type ?? products.get(product)?.product_type
}

/** Addresses that are taken twice, now that those of services that aren't Active are taken. @param besides what is checked already */
function heldTwice(after: After, besides: object): PathIssue[] {
  const issues: PathIssue[] = []
  for (const [id, { bindedip }] of after.services.entries()) {
    if (!bindedip || Object.hasOwn(besides, id)) continue
    const holder = holderOf(after, bindedip, (other) => other < id && !Object.hasOwn(besides, other))
    const message = `${bindedip} is bound to services ${holder} and ${id}`
    if (holder !== undefined) issues.push({ path: ['assumptions', 'heldAddress'], message })
  }
  return issues
}

/** How the fields about the IP list fit each other. */
function listIssues(
  draft: Draft,
  id: string,
  service: NamedService & { product_type: ProductType },
  product: NamedProduct | undefined,
): PathIssue[] {
  const { ips, errors = [], inactive = [] } = service
  const given = patchedFieldsOf(draft, 'services', id)
  const issues: PathIssue[] = []
  if (ips?.length && given['ip_count'] !== undefined && service.ip_count !== ips.length)
    issues.push({ path: ['ip_count'], message: `Must be ${ips.length}, the number of its ips` })
  if (errors.length + inactive.length === 0) return issues
  const seed = draft.named.seed ?? draft.world.seed
  const ip_count = service.ip_count ?? product?.ip_count ?? 1
  const addresses = new Set(ipList({ seed }, id, { ...service, ip_count }))
  for (const [name, listed] of Object.entries({ errors, inactive }))
    for (const [i, ip] of listed.entries())
      if (!addresses.has(ip))
        issues.push({ path: [name, i], message: `${ip} is not an address of its IP list` })
  return issues
}

function isBound(ip: string, holder: number): string {
  return `${ip} is bound to service ${holder} already`
}

/** Why an address can't be bound to a service, or undefined if it can. It can be rebound to its own service. */
export function bindingConflict(world: World, ip: string, id?: string): string | undefined {
  const holder = holderOf(world, ip, (other) => String(other) !== id)
  return holder === undefined ? undefined : isBound(ip, holder)
}

function sessionsTwice({ sticky }: NamedService): PathIssue[] {
  const seen = new Set<string>()
  return (sticky?.sessions ?? []).flatMap(({ server, session }, i) => {
    const isNew = seen.size < seen.add(JSON.stringify([server, session])).size
    const message = `session ${session} on server ${server} appears twice`
    return isNew ? [] : [{ path: ['sticky', 'sessions', i], message }]
  })
}

export function checkFaults(faults: readonly NamedFault[], operations: readonly FaultTarget[]): PathIssue[] {
  const { length } = faults
  return length > mostFaults
    ? [{ path: ['faults'], message: `there are ${length} faults, but at most ${mostFaults} are allowed` }]
    : faults.flatMap((fault, i) => under(['faults', i], checkFault(fault, operations)))
}

/** Rejects faults that no request could ever trigger, and very large ones. */
export function checkFault(fault: NamedFault, operations: readonly FaultTarget[]): PathIssue[] {
  const { operation, match, respond } = fault
  const ids = operations.map(({ operationId }) => operationId)
  const struck = operations.filter(({ operationId }) => operation === '*' || operationId === operation)
  if (!struck.length)
    return [{ path: ['operation'], message: unknown('Unknown operation', operation, ['*', ...ids]) }]
  const issues: PathIssue[] = []
  const { length } = JSON.stringify(fault)
  if (length > largestFault)
    issues.push({
      path: [],
      message: `${length} characters as JSON. A fault may have at most ${largestFault}`,
    })
  const names = [...new Set(struck.flatMap(({ pathNames }) => pathNames))]
  for (const name of Object.keys(match?.path ?? {}).filter((one) => !names.includes(one))) {
    const lacking = operation === '*' ? 'No operation has a' : `${operation} has no`
    issues.push({
      path: ['match', 'path', name],
      message: unknown(`${lacking} path parameter`, name, names),
      isKey: true,
    })
  }
  if (match?.body !== undefined && struck.every(({ bodyTypes }) => bodyTypes.length === 0))
    issues.push({ path: ['match', 'body'], message: `${operation} takes no body`, isKey: true })
  const cases = struck
    .map(({ cases: own }) => own.map(({ name }) => name))
    .reduce((common, own) => common.filter((name) => own.includes(name)))
  if (typeof respond === 'string' && !cases.includes(respond)) {
    const lacking = operation === '*' ? 'Not every operation has a' : `${operation} has no`
    issues.push({ path: ['respond'], message: unknown(`${lacking} case`, respond, cases) })
  }
  return issues
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const allowed = known.length > 0 ? ` Allowed: ${known.join(', ')}` : ''
  return `${what} ${JSON.stringify(name)}.${suggestion(name, known)}${allowed}`
}

/** Checks that ids aren't reused, and that enough are left for what has none. */
function checkIds({ world, named, isNew }: Draft): PathIssue[] {
  const next = { ...world.next, ...named.next }
  const lowered = Object.keys(isNew ? {} : next) as (keyof NextIds)[]
  const issues: PathIssue[] = lowered
    .filter((kind) => next[kind] < world.next[kind])
    .map((kind) => ({
      path: ['next', kind],
      message: `IDs are never reused, and ${next[kind]} is less than ${world.next[kind]}`,
    }))
  for (const [key, kind] of [['faults', 'fault'] as const, ['timeline', 'timeline'] as const]) {
    const ids = (named[key] ?? []).map(({ id }) => id)
    for (const [i, id] of ids.entries())
      if (id !== undefined && ids.indexOf(id) < i)
        issues.push({ path: [key, i, 'id'], message: `${kind} ${id} appears twice` })
    const unnamed = ids.filter((id) => id === undefined).length
    const first = ids.reduce<number>((at, id) => nextIdAfter(at, id ?? generatedIdLimit), next[kind])
    if (unnamed > 0 && first + unnamed > generatedIdLimit)
      issues.push({
        path: [key, ids.indexOf(undefined)],
        message: `No ${kind} ID below ${generatedIdLimit} is left. Give it an id`,
      })
  }
  return issues
}

/** The first ids, for a message. */
function someOf(records: Table<unknown>): string {
  const ids = [...records.keys()].slice(0, 11)
  return ids.length > 10 ? `${ids.slice(0, 10).join(', ')}, …` : ids.join(', ') || 'none'
}
