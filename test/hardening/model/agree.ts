import assert from 'node:assert/strict'
import type { Model } from './Model.ts'
import { sessions } from './Rules.ts'
import type { Subject } from './Subject.ts'

interface Shown {
  services: { service_id: number; product_name: string; orderid: number; status: string }[]
  invoices: { id: number; amount: number; status: string; serviceid: number }[]
}

interface World {
  services: Record<string, { client: number; bindedip?: string; password: string }>
  faults?: unknown
}

interface Journal {
  requests: {
    id: number
    status: number | null
    case: string | null
    change: unknown
    violations: string[]
  }[]
}

/** What must hold after every step, whatever the step was. */
export async function agree(model: Model, real: Subject): Promise<void> {
  const { rules } = model
  const credit = (await get<{ credit: number }>(real, '/api/billing/credit')).credit
  assert.equal(credit, rules.credit / 100, 'credit, exact to the cent')

  const invoices = await get<Shown['invoices']>(real, '/api/billing/invoices')
  const paid = invoices
    .filter(({ status }) => status === 'Paid')
    .reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
  assert.equal(paid + Math.round(credit * 100), rules.paidIn, 'paid invoices and credit')
  assert.deepEqual(
    invoices.map(({ id, amount, serviceid }) => [id, Math.round(amount * 100), serviceid]),
    [...rules.invoices].map(([id, { amount, serviceid }]) => [id, amount, serviceid]),
  )

  const services = await get<Shown['services']>(real, '/api/services')
  assert.deepEqual(
    services.map(({ service_id, product_name, status }) => [service_id, product_name, status]),
    [...rules.services].map(([id, { name, status }]) => [id, name, status]),
  )
  const orderIds = services.map(({ orderid }) => orderid)
  assert.equal(new Set(orderIds).size, orderIds.length, 'order ids are given once')

  const rotating = rules.services.get(5003)
  const listed = await get<{ server: string; session: string; ttl: number; expires_at: string }[]>(
    real,
    '/api/sticky/list/5003',
  )
  assert.deepEqual(
    listed.map(({ server, session, ttl, expires_at }) => ({ server, session, ttl, expires_at })),
    rotating && sessions(rules, rotating),
    'the sessions that live',
  )

  const world = await real.admin<World>('GET', '/accounts/reseller')
  const bound = Object.values(world.services).flatMap(({ bindedip }) => bindedip || [])
  assert.equal(new Set(bound).size, bound.length, 'no address is bound twice')
  for (const [id, { bindedip, password }] of rules.services) {
    assert.equal(world.services[id]?.bindedip ?? '', bindedip, `address of ${id}`)
    if (password !== undefined) assert.equal(world.services[id]?.password, password)
  }

  const { requests } = await real.admin<Journal>('GET', '/requests?limit=60')
  const fresh = requests.filter(({ id }) => id > model.seen.request).toReversed()
  for (const one of fresh) {
    assert.notEqual(one.case, 'contract-violation', JSON.stringify(one))
    assert.ok((one.status ?? 0) < 500, JSON.stringify(one))
  }
  const told = fresh.reduce((state, { change }) => patched(state, change ?? {}), model.seen.world)
  assert.deepEqual(
    comparable(world),
    comparable(told),
    'what the journal says was changed is what was changed',
  )
  model.seen = { world, request: requests[0]?.id ?? 0 }
}

async function get<T>(real: Subject, path: string): Promise<T> {
  const answer = await real.api('GET', path)
  assert.equal(answer?.status, 200, path)
  return answer.body as T
}

/** Takes note of what a command of the control plane made of the world: no request of the journal did. */
export async function noteKnown(model: Model, real: Subject): Promise<void> {
  const { requests } = await real.admin<Journal>('GET', '/requests?limit=1')
  model.seen = { world: await real.admin('GET', '/accounts/reseller'), request: requests[0]?.id ?? 0 }
}

/** Counters of faults are no change of an operation, and the journal shows no password. */
function comparable(world: unknown): unknown {
  const { faults: _faults, services, ...rest } = world as World
  return {
    ...rest,
    services: Object.fromEntries(
      Object.entries(services).map(([id, { password: _password, ...service }]) => [id, service]),
    ),
  }
}

/** RFC 7386, as its own text says it. */
function patched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = patched(result[name], value)
  }
  return result
}
