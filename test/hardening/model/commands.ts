import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { noteKnown } from './agree.ts'
import { command, counts, type Command } from './command.ts'
import { beforeLoad, load, type Model } from './Model.ts'
import {
  changeTtl,
  dateTime,
  find,
  forgetDead,
  order,
  ordered,
  pass,
  resetAll,
  sessions,
  toRotate,
  unprocessable,
  update,
  type Expected,
  type Ordered,
  type Rules,
} from './Rules.ts'
import { stateCommands } from './stateCommands.ts'
import type { Answer, Subject } from './Subject.ts'

/** Whether a fault takes the request; it is used up by it. */
function struck({ rules }: Model, operation: string): 'before' | 'after' | undefined {
  const { fault } = rules
  if (!fault || fault.left === 0 || fault.operation !== operation) return undefined
  fault.left--
  counts.faults++
  return fault.phase
}

/** What both agree on; a body of undefined may be anything. */
function expectAnswer(answer: Answer | undefined, { status, body }: Expected): void {
  assert.deepEqual(
    { status: answer?.status, body: body === undefined ? undefined : answer?.body },
    { status, body },
  )
}

/** Runs one request of an operation against server and rules, faults included. */
async function both(
  model: Model,
  operation: string,
  ask: () => Promise<Answer | undefined>,
  rule: (rules: Rules) => Expected,
  done?: (answer: Answer) => void,
  unheard?: () => Promise<void>,
): Promise<void> {
  const fault = struck(model, operation)
  const answer = await ask()
  if (fault === undefined) {
    const expected = rule(model.rules)
    expectAnswer(answer, expected)
    if (expected.status === 200 && answer) done?.(answer)
    return
  }
  assert.equal(answer, undefined, 'the fault drops the connection')
  // It happened, and nobody was told.
  if (fault === 'after' && rule(model.rules).status === 200) await unheard?.()
}

/** The ids of an order whose answer was lost: there must be one service and one invoice that are new. */
async function newest({ rules }: Model, real: Subject): Promise<Ordered> {
  const services = (await real.api('GET', '/api/services'))?.body as { service_id: number; orderid: number }[]
  const invoices = (await real.api('GET', '/api/billing/invoices'))?.body as { id: number }[]
  const [service, ...more] = services.filter(({ service_id }) => !rules.services.has(service_id))
  const [invoice, ...others] = invoices.filter(({ id }) => !rules.invoices.has(id))
  assert.ok(service && invoice && !more.length && !others.length, 'one service and one invoice are new')
  return {
    serviceId: service?.service_id ?? 0,
    orderId: service?.orderid ?? 0,
    invoiceId: invoice?.id ?? 0,
    amount: 0,
    ip: '',
  }
}

function checkOrdered(
  rules: Rules,
  answer: Answer,
  pid: string,
  posted: { clientid: number; setip?: string },
): void {
  const ids = answer.body as Ordered
  const price = rules.products.find(({ id }) => String(id) === pid)?.price ?? -1
  assert.equal(Math.round(ids.amount * 100), price)
  assert.match(ids.ip, /^\d+\.\d+\.\d+\.\d+$/)
  if (posted.setip !== undefined) assert.equal(ids.ip, posted.setip)
  const used =
    rules.services.has(ids.serviceId) ||
    rules.invoices.has(ids.invoiceId) ||
    rules.orders.includes(ids.orderId)
  assert.ok(!used, `ids ${JSON.stringify(ids)} are new`)
  assert.ok(ids.serviceId > rules.lastService, 'ids grow')
  ordered(rules, pid, posted, ids)
  counts.orders++
}

const pids = fc.constantFrom(
  '101',
  '101',
  '102',
  '103',
  '104',
  '105',
  '999',
  'abc',
  '0x65',
  '1e2',
  '-1',
  '0',
  '%00',
  '__proto__',
)
const clients = fc.constantFrom<unknown>(11, 11, 11, 12, 99, -1, 0, 1.5, '11', null, undefined, [11])
const ips = fc.constantFrom(
  '192.0.2.1',
  '192.0.2.2',
  '192.0.2.3',
  '192.0.2.4',
  '192.0.2.5',
  '192.0.2.6',
  '192.0.2.7',
)
const oddIps = fc.constantFrom<unknown>('', '1.2.3', '01.2.3.4', '256.0.0.1', '1.2.3.4 ', '::1', 5, null, {})
const setip = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: ips },
  { weight: 1, arbitrary: oddIps },
)
const serviceIds = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 5015, max: 5036 }).map(String) },
  { weight: 6, arbitrary: fc.integer({ min: 5001, max: 5014 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      'abc',
      '99999',
      '5001.0',
      '+5001',
      '%20',
      '__proto__',
      'constructor',
    ),
  },
)
/** Those that have sessions, most of the time */
const stickyIds = fc.oneof(fc.constantFrom('5003', '5003', '5004'), serviceIds)
const passwords = fc.constantFrom<unknown>(
  undefined,
  undefined,
  'bmV3',
  'bmV3LXNlY3JldA==',
  'bmV3LXNlY3JldA',
  '!',
  '',
  5,
)
const lists = fc.constantFrom<unknown>(undefined, 'true', 'true', 'false', '', true)
const brokenBodies = fc.constantFrom('', '{', 'null', '[]', '"x"', '{"clientid":11', '\ufeff{}', '5')

const orders = fc.record({ pid: pids, clientid: clients, setip }).map(({ pid, ...posted }) =>
  command(`order ${pid} ${JSON.stringify(posted)}`, async (model, real) =>
    both(
      model,
      'orderService',
      () => real.api('POST', `/api/product/${pid}`, posted),
      (rules) => order(rules, pid, posted),
      (answer) => checkOrdered(model.rules, answer, pid, posted as { clientid: number }),
      async () => ordered(model.rules, pid, posted as { clientid: number }, await newest(model, real)),
    ),
  ),
)

const brokenOrders = fc.tuple(pids, brokenBodies).map(([pid, body]) =>
  command(`order ${pid} with the body ${JSON.stringify(body)}`, async (model, real) =>
    both(
      model,
      'orderService',
      () => real.api('POST', `/api/product/${pid}`, body),
      (rules) => order(rules, pid, undefined),
    ),
  ),
)

const updates = fc
  .record({ id: serviceIds, setip, update_list: lists, password: passwords })
  .map(({ id, ...posted }) =>
    command(`update ${id} ${JSON.stringify(posted)}`, async (model, real) =>
      both(
        model,
        'updateService',
        () => real.api('PUT', `/api/service/${id}`, posted),
        (rules) => update(rules, id, JSON.parse(JSON.stringify(posted))),
      ),
    ),
  )

const ttls = fc
  .tuple(stickyIds, fc.constantFrom('1', '2', '3', '5', '10', '15', '4', '0', '01', 'x'))
  .map(([id, ttl]) =>
    command(`TTL of ${id} to ${ttl}`, async (model, real) =>
      both(
        model,
        'changeStickyTtl',
        () => real.api('GET', `/api/sticky/changettl/${id}/${ttl}`),
        (rules) => changeTtl(rules, id, ttl),
      ),
    ),
  )

const rotations = fc
  .tuple(stickyIds, fc.constantFrom('us1', 'us2'), fc.constantFrom('abc', 'xyz', '%2e%2e'))
  .map(([id, server, session]) =>
    command(`rotate ${id} ${server} ${session}`, async (model, real) => {
      const wanted = toRotate(model.rules, id, server, session)
      await both(
        model,
        'rotateStickySession',
        () => real.api('GET', `/api/sticky/rotate/${id}/${server}/${session}`),
        ({ now }) => {
          if (!wanted) return unprocessable
          forgetDead(model.rules, id)
          wanted.since = now
          return { status: 200, body: undefined }
        },
        ({ body }) => {
          const { ip, expires_at } = body as { ip: string; expires_at: string }
          assert.notEqual(ip, wanted?.ip)
          assert.ok(expires_at > dateTime(model.rules.now))
          if (wanted) wanted.ip = ip
        },
      )
      if (wanted) wanted.ip = undefined
    }),
  )

const resets = stickyIds.map((id) =>
  command(`reset all sessions of ${id}`, async (model, real) =>
    both(
      model,
      'resetStickySessions',
      () => real.api('GET', `/api/sticky/resetall/${id}`),
      (rules) => resetAll(rules, id),
    ),
  ),
)

const lookups = stickyIds.map((id) =>
  command(`sessions of ${id}`, async (model, real) => {
    const answer = await real.api('GET', `/api/sticky/list/${id}`)
    const service = find(model.rules, id)
    if (!service) {
      assert.equal(answer?.status, 422)
      return
    }
    const shown = answer?.body as { server: string; session: string; ttl: number; expires_at: string }[]
    assert.deepEqual(
      shown.map(({ server, session, ttl, expires_at }) => ({ server, session, ttl, expires_at })),
      sessions(model.rules, service),
    )
  }),
)

const advances = fc.constantFrom(1, 59, 60, 179, 300, 599, 600, 601, 3600).map((seconds) =>
  command(
    `${seconds} s later`,
    async ({ rules }, real) => {
      await real.admin('POST', '/clock/advance', { by: `PT${seconds}S` })
      pass(rules, seconds)
    },
    'control',
  ),
)

const topUps = fc.integer({ min: 0, max: 4000 }).map((more) =>
  command(
    `pay in ${more} cents`,
    async ({ rules }, real) => {
      rules.credit += more
      rules.paidIn += more
      await real.admin('PATCH', '/accounts/reseller', { credit: rules.credit / 100 })
    },
    'control',
  ),
)

const statuses = fc
  .tuple(fc.integer({ min: 5001, max: 5008 }), fc.constantFrom('Active', 'Active', 'Suspended', 'Terminated'))
  .map(([id, status]) =>
    command(
      `service ${id} becomes ${status}`,
      async ({ rules }, real) => {
        const service = rules.services.get(id)
        if (!service) return
        service.status = status
        await real.admin('PATCH', '/accounts/reseller', { services: { [id]: { status } } })
      },
      'control',
    ),
  )

const clientsGo = fc.boolean().map((stays) =>
  command(
    stays ? 'client 12 is there' : 'client 12 is gone',
    async ({ rules }, real) => {
      const was = rules.clients.includes(12)
      if (was === stays) return
      rules.clients = stays ? [11, 12] : [11]
      await real.admin('PATCH', '/accounts/reseller', {
        clients: { 12: stays ? { email: 'bo@example.com' } : null },
      })
    },
    'control',
  ),
)

const faults = fc
  .tuple(
    fc.constantFrom('orderService', 'updateService', 'changeStickyTtl', 'resetStickySessions'),
    fc.constantFrom<'before' | 'after'>('before', 'after'),
    fc.constantFrom('empty', 'reset'),
    fc.integer({ min: 1, max: 2 }),
  )
  .map(([operation, phase, drop, times]) =>
    command(
      `fault ${operation} ${phase} ${drop} ${times} times`,
      async ({ rules }, real) => {
        await real.admin('DELETE', '/faults')
        await real.admin('POST', '/faults', { operation, phase, drop, times })
        rules.fault = { operation, phase, left: times }
      },
      'control',
    ),
  )

const beginAgain = fc.constant(
  command(
    'reset',
    async (model, real) => {
      await real.admin('POST', '/reset')
      load(model, model.original)
      counts.resets++
    },
    'control',
  ),
)

const snapshots = fc.constant(
  command(
    'snapshot',
    async (model, real) => {
      const { id } = await real.admin<{ id: string }>('POST', '/snapshots')
      const { rules, original } = model
      model.snapshots.push({ id, rules: structuredClone(rules), original })
    },
    'control',
  ),
)

const restores = fc.nat().map((n) =>
  command(
    `restore snapshot ${n}`,
    async (model, real) => {
      const kept = model.snapshots[n % (model.snapshots.length || 1)]
      if (!kept) return
      await real.admin('POST', `/snapshots/${kept.id}/restore`)
      const { rules, original } = model
      model.rules = structuredClone(kept.rules)
      if (!kept.isAccount) model.original = kept.original
      // To undo twice is to redo.
      if (kept.id === beforeLoad) Object.assign(kept, { rules, original })
      model.marks = []
      counts.restores++
    },
    'control',
  ),
)

const restarts = fc.constant(
  command(
    'restart',
    async (model, real) => {
      await real.restart()
      model.snapshots = []
      model.marks = []
      counts.restarts++
    },
    'control',
  ),
)

/** Without a fault in the way: who of those that ask at once gets what must not depend on who comes first. */
async function together<T>(model: Model, real: Subject, asks: (() => Promise<T>)[]): Promise<T[]> {
  if (model.rules.fault?.left) {
    await real.admin('DELETE', '/faults')
    model.rules.fault = undefined
    await noteKnown(model, real)
  }
  counts.parallel += asks.length
  return Promise.all(asks.map((ask) => ask()))
}

const parallelOrders = fc
  .tuple(fc.constantFrom('101', '102', '103', '104'), fc.integer({ min: 2, max: 12 }))
  .map(([pid, many]) =>
    command(
      `${many} orders of ${pid} at once`,
      async (model, real) => {
        const posted = { clientid: 11 }
        const price = model.rules.products.find(({ id }) => String(id) === pid)?.price ?? Infinity
        const affordable = price === 0 ? many : Math.min(many, Math.floor(model.rules.credit / price))
        const answers = await together(
          model,
          real,
          Array.from({ length: many }, () => () => real.api('POST', `/api/product/${pid}`, posted)),
        )
        const [paid, refused] = [
          answers.filter((one) => one?.status === 200),
          answers.filter((one) => one?.status !== 200),
        ]
        assert.equal(paid.length, affordable)
        const inOrder = paid
          .map((one) => one as Answer)
          .toSorted((a, b) => (a.body as Ordered).serviceId - (b.body as Ordered).serviceId)
        for (const answer of inOrder) checkOrdered(model.rules, answer, pid, posted)
        for (const answer of refused) expectAnswer(answer, order(model.rules, pid, posted))
      },
      'requests',
    ),
  )

const parallelBindings = ips.map((ip) =>
  command(
    `all services want ${ip} at once`,
    async (model, real) => {
      const ids = [...model.rules.services.keys()]
        .filter((id) => model.rules.services.get(id)?.type === 'fpr')
        .slice(0, 8)
      const answers = await together(
        model,
        real,
        ids.map((id) => () => real.api('PUT', `/api/service/${id}`, { setip: ip })),
      )
      const won = ids.filter((_id, i) => answers[i]?.status === 200)
      for (const id of won)
        assert.equal(update(model.rules, String(id), { setip: ip }).status, 200, `${id} may have ${ip}`)
      for (const [i, id] of ids.entries())
        if (!won.includes(id)) expectAnswer(answers[i], update(model.rules, String(id), { setip: ip }))
    },
    'requests',
  ),
)

const parallelLists = serviceIds.map((id) =>
  command(
    `six want the list of ${id} updated at once`,
    async (model, real) => {
      const posted = { update_list: 'true' }
      const answers = await together(
        model,
        real,
        Array.from({ length: 6 }, () => () => real.api('PUT', `/api/service/${id}`, posted)),
      )
      const sorted = answers.toSorted((a, b) => (a?.status ?? 0) - (b?.status ?? 0)) // the one that was let through first
      for (const answer of sorted) expectAnswer(answer, update(model.rules, id, posted))
    },
    'requests',
  ),
)

/** Every command; what costs little and finds much comes often. */
export const commands: fc.Arbitrary<Command>[] = [
  orders,
  orders,
  orders,
  brokenOrders,
  updates,
  updates,
  updates,
  ttls,
  ttls,
  rotations,
  rotations,
  resets,
  lookups,
  advances,
  advances,
  topUps,
  statuses,
  clientsGo,
  faults,
  beginAgain,
  snapshots,
  restores,
  parallelOrders,
  parallelBindings,
  parallelLists,
  restarts,
  ...stateCommands,
]
