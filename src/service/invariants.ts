import { type PathIssue, prefixPaths } from '../lib/PathIssue.ts'
import { type Draft, recordsAfter } from './draft.ts'
import { getFields, getNoun } from './records.ts'
import { generatedIdLimit } from '../world/numbers.ts'
import type { EntryMap } from '../world/entries.ts'
import { isObject } from '../world/mergePatch.ts'
import type { ProductType } from './values.ts'
import type { ServiceInput, NextIds, World } from '../world/World.ts'

/*
 * The conditions for a valid world, beyond the schema of single values. Every change is checked here: scenarios, patches,
 * orders, updates, faults. A valid world can be completed, exported and reloaded, and every response from it satisfies
 * the contract.
 */

/** A world after the change, without the defaults of missing fields. */
type WorldAfter = ReturnType<typeof recordsAfter> & Pick<World, 'assumptions'>

/** Semantic checks of a draft that satisfies the schema. */
export function checkDraft(draft: Draft): PathIssue[] {
  const { world, input } = draft
  const { products, services } = recordsAfter(draft)
  const after = { products, services, assumptions: { ...world.assumptions, ...input.assumptions } }
  const issues: PathIssue[] = []
  for (const [id, { product_type }] of Object.entries(input.products ?? {}))
    issues.push(...prefixPaths(['products', id], foreignFields(draft, 'products', id, product_type)))
  for (const [id, service] of Object.entries(input.services ?? {}))
    issues.push(...prefixPaths(['services', id], checkService(draft, after, id, service)))
  issues.push(...duplicateBindings(draft, after))
  issues.push(...checkIds(draft))
  return issues
}

/** The fields of a record that the patch itself sets. */
function getPatchedFields({ patch }: Draft, kind: string, id: string): Readonly<Record<string, unknown>> {
  const records = patch[kind]
  const record = isObject(records) ? records[id] : undefined
  return isObject(record) ? record : {}
}

/** Issues for fields that only the other product type has. */
function foreignFields(
  draft: Draft,
  kind: 'products' | 'services',
  id: string,
  type: ProductType | undefined,
): PathIssue[] {
  // Fields of the record's former type are removed with it, unless the patch sets them.
  const patched = getPatchedFields(draft, kind, id)
  return getFields(kind)
    .filter(
      ([name, { productType = type }]) => type && productType !== type && (patched[name] ?? null) !== null,
    )
    .map(([name, { productType }]) => ({
      path: [name],
      message: `${name} is for ${productType} only, but this ${getNoun(kind)} is ${type}`,
      isKey: true,
    }))
}

function checkService(draft: Draft, after: WorldAfter, id: string, service: ServiceInput): PathIssue[] {
  const { product, product_name, price, service_id, ips, ip_count } = service
  const type = getProductType(service, after)
  const issues: PathIssue[] = []
  const report = (field: string, message: string): void => void issues.push({ path: [field], message })
  if (!after.products.has(product) && [type, product_name, price].includes(undefined)) {
    const ids = [...after.products.keys()]
    const listedIds = ids.length > 10 ? [...ids.slice(0, 10), '…'] : ids
    report('product', `No product ${product}. Available: ${listedIds.join(', ') || 'none'}`)
  }
  if (service_id !== undefined && String(service_id) !== id)
    report('service_id', `Must be ${id}, the key of the service`)
  issues.push(...foreignFields(draft, 'services', id, type), ...duplicateSessions(service))
  const setsCount = (getPatchedFields(draft, 'services', id)['ip_count'] ?? null) !== null
  if (ips?.length && setsCount && ip_count !== ips.length)
    report('ip_count', `Must be ${ips.length}, the number of ips`)
  return issues
}

function duplicateSessions({ sticky }: ServiceInput): PathIssue[] {
  const seen = new Set<string>()
  return (sticky?.sessions ?? []).flatMap(({ server, session }, i) => {
    const isNew = seen.size < seen.add(JSON.stringify([server, session])).size
    const message = `session ${session} on server ${server} appears twice`
    return isNew ? [] : [{ path: ['sticky', 'sessions', i], message }]
  })
}

/** Issues for bound addresses that another service already holds. */
function duplicateBindings({ world, input: { services = {} } }: Draft, after: WorldAfter): PathIssue[] {
  const isRuleChanged = world.assumptions.heldAddress !== after.assumptions.heldAddress
  const ids = isRuleChanged ? [...after.services.keys()] : Object.keys(services).map(Number)
  return ids.flatMap((id) => {
    const service = after.services.get(id)
    if (!service?.bindedip || !holdsAddress(service, after)) return []
    // If the patch contains both services, the issue is reported for the second.
    const isFirst = (other: number): boolean => other < id || (services[id] !== undefined && !services[other])
    const holder = findHolder(after, service.bindedip, (other) => other !== id && isFirst(other))
    if (holder === undefined) return []
    const path = services[id] ? ['services', id, 'bindedip'] : ['assumptions', 'heldAddress']
    return [{ path, message: boundMessage(service.bindedip, holder) }]
  })
}

/** The service that holds an address, so that no other service can bind it. */
function findHolder(after: WorldAfter, ip: string, isRelevant: (id: number) => boolean): number | undefined {
  for (const id of after.services.findIds(ip))
    if (isRelevant(id) && holdsAddress(after.services.get(id), after)) return id
  return undefined
}

/** Whether a service holds its bound address. The documentation doesn't say: assumption `heldAddress`. */
function holdsAddress(service: ServiceInput | undefined, after: WorldAfter): boolean {
  if (!service || getProductType(service, after) === 'ppr') return false
  return after.assumptions.heldAddress === 'held' || (service.status ?? 'Active') === 'Active'
}

/** A service's type or, if it has none, its product's. */
function getProductType(
  { product_type, product }: ServiceInput,
  { products }: WorldAfter,
): ProductType | undefined {
  return product_type ?? products.get(product)?.product_type
}

function boundMessage(ip: string, holder: number): string {
  return `${ip} is already bound to service ${holder}`
}

/** The reason why an address can't be bound, if any. @param id a service that may already hold the address */
export function bindingConflict(world: World, ip: string, id?: string): string | undefined {
  const holder = findHolder(world, ip, (other) => String(other) !== id)
  return holder === undefined ? undefined : boundMessage(ip, holder)
}

/** Issues for reused ids, and for faults and timeline entries for which no id is left. */
function checkIds({ world, input, isNew }: Draft): PathIssue[] {
  const issues: PathIssue[] = []
  for (const [kind, id] of Object.entries(input.next ?? {}))
    if (!isNew && id < world.next[kind as keyof NextIds])
      issues.push({
        path: ['next', kind],
        message: `Must be at least ${world.next[kind as keyof NextIds]}, because IDs are never reused`,
      })
  issues.push(
    ...checkEntryIds('faults', 'fault', input.faults),
    ...checkEntryIds('timeline', 'timeline', input.timeline),
  )
  return issues
}

/** Issues for entries whose ids differ from their keys, because a list has an id twice, and for those for which no id is left. */
function checkEntryIds(part: string, noun: string, entries: EntryMap<{ id?: number }> = {}): PathIssue[] {
  const issues: PathIssue[] = []
  for (const [key, { id }] of Object.entries(entries))
    if (id === undefined && Number(key) >= generatedIdLimit)
      return [{ path: [part], message: `No ID below ${generatedIdLimit} is left. Give each an id` }]
    else if (id !== undefined && String(id) !== key)
      issues.push({
        path: [part, key, 'id'],
        message: entries[id] ? `${noun} ${id} appears twice` : `Must be ${key}, the key of the ${noun}`,
      })
  return issues
}
