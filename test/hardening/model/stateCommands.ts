import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { parse } from 'yaml'
import { command, counts, type Command } from './command.ts'
import { load } from './Model.ts'
import { isAddress, isBound, pass, type RuledService, type Rules } from './Rules.ts'

/** A world as the control plane shows it, as far as patches need it. */
interface Shown {
  services: Record<string, { bindedip?: string }>
}

/** A merge patch, and what it makes of the rules; `undefined`: it must be refused. */
interface Patch {
  patch: Record<string, unknown>
  apply: ((rules: Rules, shown: Shown) => void) | undefined
}

/** What is made of the present rules: whether a patch is right depends on them. */
type Maker = (rules: Rules) => Patch

const ids = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 5001, max: 5010 }) },
  { weight: 1, arbitrary: fc.integer({ min: 5011, max: 5036 }) },
)
const otherIds = ids.filter((id) => id !== 5003) // whose sessions are looked at after every step

/** A patch of a service that may be there. */
function ofService(
  { services }: Rules,
  id: number,
  fields: Record<string, unknown>,
  apply: ((service: RuledService, shown: Shown) => void) | undefined,
): Patch {
  const service = services.get(id)
  return {
    patch: { services: { [id]: fields } },
    // of a service that is new, client and product are required
    apply: service && apply && ((rules, shown) => apply(rules.services.get(id) as RuledService, shown)),
  }
}

const prices = fc.tuple(fc.constantFrom(101, 102, 103, 104), fc.integer({ min: 0, max: 2500 })).map(
  ([id, price]): Maker =>
    () => ({
      patch: { products: { [id]: { price: price / 100 } } },
      apply: ({ products }) => {
        for (const product of products) if (product.id === id) product.price = price
      },
    }),
)

const freeProduct = fc.boolean().map(
  (stays): Maker =>
    () => ({
      patch: { products: { 105: stays ? { productName: 'Free', price: 0, product_type: 'ppr' } : null } },
      apply: (rules) => {
        rules.products = rules.products.filter(({ id }) => id !== 105)
        if (stays) rules.products.push({ id: 105, name: 'Free', price: 0, type: 'ppr' })
      },
    }),
)

const addresses = fc
  .tuple(
    ids,
    fc.constantFrom<unknown>(
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.5',
      '192.0.2.8',
      '',
      null,
      '1.2.3',
      '01.2.3.4',
      5,
    ),
  )
  .map(
    ([id, ip]): Maker =>
      (rules) => {
        const service = rules.services.get(id)
        const isFree = ip === '' || (typeof ip === 'string' && isAddress(ip) && !isBound(rules, ip, id))
        const isRight = ip === null || (isFree && service?.type === 'fpr')
        return ofService(
          rules,
          id,
          { bindedip: ip },
          isRight
            ? (one) => {
                one.bindedip = typeof ip === 'string' ? ip : ''
              }
            : undefined,
        )
      },
  )

const passwords = fc.tuple(ids, fc.constantFrom<unknown>('patched', 'pässwörd', 'a:b', 5)).map(
  ([id, password]): Maker =>
    (rules) =>
      ofService(
        rules,
        id,
        { password },
        typeof password === 'string'
          ? (service) => {
              service.password = password
            }
          : undefined,
      ),
)

const listTimes = fc.tuple(ids, fc.constantFrom(0, 30, 599, 4000, undefined)).map(
  ([id, ago]): Maker =>
    (rules) => {
      const at = ago === undefined ? undefined : rules.now - ago * 1000
      return ofService(
        rules,
        id,
        { list_updated_at: at === undefined ? null : new Date(at).toISOString() },
        (service) => {
          service.updated = at
        },
      )
    },
)

const intervals = fc.constantFrom(0, 1, 60, 600, -1).map(
  (seconds): Maker =>
    () => ({
      patch: { limits: { updateListInterval: seconds } },
      apply:
        seconds < 0
          ? undefined
          : (rules) => {
              rules.interval = seconds
            },
    }),
)

const ttls = fc.tuple(ids, fc.constantFrom(1, 2, 3, 5, 10, 15, 4, 0)).map(
  ([id, ttl]): Maker =>
    (rules) =>
      ofService(
        rules,
        id,
        { sticky: { ttl } },
        rules.services.get(id)?.type === 'ppr' && ttl !== 4 && ttl !== 0
          ? (service) => {
              service.ttl = ttl
            }
          : undefined,
      ),
)

const sessionLists = fc
  .tuple(
    ids,
    fc.array(
      fc.record({ session: fc.constantFrom('abc', 'xyz'), ago: fc.constantFrom(0, 0, 59, 170, 900) }),
      {
        maxLength: 3,
      },
    ),
  )
  .map(
    ([id, list]): Maker =>
      (rules) => {
        const isTwice = new Set(list.map(({ session }) => session)).size < list.length
        return ofService(
          rules,
          id,
          {
            sticky: {
              sessions: list.map(({ session, ago }) => ({
                server: 'us1',
                session,
                ...(ago > 0 && { since: new Date(rules.now - ago * 1000).toISOString() }),
              })),
            },
          },
          rules.services.get(id)?.type === 'ppr' && !isTwice
            ? (service) => {
                service.sessions = list.map(({ session, ago }) => ({
                  server: 'us1',
                  session,
                  ip: undefined,
                  since: rules.now - ago * 1000,
                }))
              }
            : undefined,
        )
      },
  )

const removals = otherIds.map(
  (id): Maker =>
    () => ({
      patch: { services: { [id]: null } },
      apply: ({ services }) => void services.delete(id),
    }),
)

const additions = fc
  .record({
    id: fc.integer({ min: 5015, max: 5036 }),
    client: fc.constantFrom(11, 12, 99),
    product: fc.constantFrom(101, 102, 103, 105, 999),
    status: fc.constantFrom('Active', 'Suspended'),
  })
  .map(
    ({ id, ...fields }): Maker =>
      (rules) => {
        const product = rules.products.find((one) => one.id === fields.product)
        const patch = { services: { [id]: fields } }
        if (rules.services.has(id)) return { patch: {}, apply: () => {} }
        if (!product) return { patch, apply: undefined }
        return {
          patch,
          apply: (now, { services }) => {
            const bindedip = services[id]?.bindedip ?? ''
            if (product.type === 'fpr')
              assert.ok(isAddress(bindedip) && !isBound(now, bindedip), `a new ${bindedip}`)
            now.services.set(id, {
              client: fields.client,
              name: product.name,
              type: product.type,
              status: fields.status,
              bindedip,
              password: undefined,
              updated: undefined,
              ttl: 10,
              sessions: [],
            })
            now.services = new Map([...now.services].toSorted(([a], [b]) => a - b))
            now.lastService = Math.max(now.lastService, id)
          },
        }
      },
  )

const types = fc.tuple(otherIds, fc.constantFrom<'fpr' | 'ppr'>('fpr', 'ppr')).map(
  ([id, type]): Maker =>
    (rules) =>
      ofService(rules, id, { product_type: type }, (service, shown) => {
        if (service.type === type) return
        service.type = type
        service.bindedip = type === 'fpr' ? (shown.services[id]?.bindedip ?? '') : ''
        service.ttl = 10
        service.sessions = []
      }),
)

const laterTimes = fc.constantFrom(-1, 0, 61, 700).map(
  (seconds): Maker =>
    ({ now }) => ({
      patch: { clock: new Date(now + seconds * 1000).toISOString() },
      apply: seconds < 0 ? undefined : (rules) => pass(rules, seconds),
    }),
)

const faults = fc
  .tuple(
    fc.constantFrom('orderService', 'updateService', 'changeStickyTtl', 'nonsense'),
    fc.constantFrom<'before' | 'after'>('before', 'after'),
    fc.integer({ min: 0, max: 2 }),
  )
  .map(
    ([operation, phase, times]): Maker =>
      () => ({
        patch: { faults: times === 0 ? null : [{ operation, phase, drop: 'empty', times }] },
        apply:
          times > 0 && operation === 'nonsense'
            ? undefined
            : (rules) => {
                rules.fault = times === 0 ? undefined : { operation, phase, left: times }
              },
      }),
  )

const credits = fc.oneof(fc.integer({ min: 0, max: 4000 }), fc.constantFrom<unknown>(-1, 0.001, '5', {})).map(
  (cents): Maker =>
    ({ credit }) => {
      const isRight = Number.isInteger(cents) && (cents as number) >= 0
      const more = isRight ? (cents as number) : 0
      return {
        patch: { credit: isRight ? (credit + more) / 100 : cents },
        apply: isRight
          ? (rules) => {
              rules.credit += more
              rules.paidIn += more
            }
          : undefined,
      }
    },
)

const nonsense = fc
  .constantFrom<Record<string, unknown>>(
    { nobody: 1 },
    { services: { 0: null, 5001: { status: 'Lost' } } },
    { services: { abc: { client: 11, product: 101 } } },
    { password: null },
    { clients: { 11: { email: 11 } } },
    { next: { service: 1 } },
    { generate: { services: 3 } },
  )
  .map(
    (patch): Maker =>
      () => ({ patch, apply: undefined }),
  )

const one = fc.oneof(
  prices,
  freeProduct,
  addresses,
  addresses,
  passwords,
  listTimes,
  intervals,
  ttls,
  sessionLists,
  removals,
  additions,
  types,
  laterTimes,
  faults,
  credits,
)
const several = fc.array(fc.oneof({ weight: 9, arbitrary: one }, { weight: 1, arbitrary: nonsense }), {
  minLength: 1,
  maxLength: 3,
})

/** Patches of parts that have nothing to do with each other go in one: all of it is done, or none. */
function together(makers: readonly Maker[], rules: Rules): { patch: Record<string, unknown>; all: Patch[] } {
  const patch: Record<string, unknown> = {}
  const all: Patch[] = []
  for (const maker of makers) {
    const made = maker(rules)
    const keys = [...Object.keys(patch), ...Object.keys(made.patch)]
    // what a new service takes of its product, and what a new time does to the rest, are questions of their own
    const isRelated =
      new Set(keys).size < keys.length ||
      keys.includes('clock') ||
      (keys.includes('products') && keys.includes('services'))
    if (all.length > 0 && isRelated) continue
    Object.assign(patch, made.patch)
    all.push(made)
  }
  return { patch, all }
}

const patches = several.map((makers) => {
  let shown = ''
  const made = command(
    'patch',
    async (model, real) => {
      const { patch, all } = together(makers, model.rules)
      shown = JSON.stringify(patch)
      const isRight = all.every(({ apply }) => apply !== undefined)
      const before = await real.admin('GET', '/accounts/reseller')
      const answer = await real.control('PATCH', '/accounts/reseller', patch)
      const after = await real.admin<Shown>('GET', '/accounts/reseller')
      assert.equal(answer?.status, isRight ? 200 : 400, `${shown}: ${JSON.stringify(answer?.body)}`)
      counts.patches++
      if (isRight) {
        assert.deepEqual(answer?.body, after, 'a patch is answered by what it has made')
        for (const { apply } of all) apply?.(model.rules, after)
      } else {
        assert.deepEqual(after, before, 'what is refused changes nothing')
        counts.refusedPatches++
      }
    },
    'control',
  )
  made.toString = () => `patch ${shown}`
  return made
})

const reloads = fc.boolean().map((isYaml) =>
  command(
    `load the export again, as ${isYaml ? 'YAML' : 'JSON'}`,
    async (model, real) => {
      const json = await real.admin<{ accounts: Record<string, unknown> }>('GET', '/scenario')
      const yaml = await real.control('GET', '/scenario', undefined, { accept: 'application/yaml' })
      assert.equal(yaml?.status, 200)
      assert.deepEqual(parse(String(yaml?.body)), json, 'YAML and JSON say the same')
      assert.deepEqual(await real.admin('GET', '/accounts/reseller'), json.accounts['reseller'])
      const text = isYaml ? String(yaml?.body) : JSON.stringify(json)
      const type = `application/${isYaml ? 'yaml' : 'json'}`
      const answer = await real.control('PUT', '/scenario', text, { 'content-type': type })
      assert.equal(answer?.status, 200, JSON.stringify(answer?.body))
      assert.deepEqual(await real.admin('GET', '/scenario'), json, 'what was exported is what is loaded')
      load(model, model.rules)
      model.original = structuredClone(model.rules)
      counts.exports++
    },
    'control',
  ),
)

const rewinds = fc.nat().map((n) =>
  command(
    `rewind to request ${n}`,
    async (model, real) => {
      const mark = model.marks[n % (model.marks.length || 1)]
      if (!mark) return
      await real.admin('POST', `/requests/${mark.request}/rewind`)
      model.rules = structuredClone(mark.rules)
      counts.rewinds++
    },
    'control',
  ),
)

const accountResets = fc.constant(
  command(
    'reset of the account',
    async (model, real) => {
      await real.admin('POST', '/reset?account=reseller')
      load(model, model.original, true)
      counts.resets++
    },
    'control',
  ),
)

/** What the control plane does to a world. */
export const stateCommands: fc.Arbitrary<Command>[] = [
  patches,
  patches,
  patches,
  patches,
  reloads,
  rewinds,
  rewinds,
  accountResets,
]
