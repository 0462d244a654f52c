import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { State } from '../../../src/state/State.ts'
import type { WorldView } from '../../../src/admin/shapes.ts'
import { defaultAssumptions } from '../../../src/world/values.ts'
import type { World } from '../../../src/world/World.ts'
import { folder, start, type Started } from '../../support/start.ts'
import { adminOf } from '../../support/admin.ts'
import { scenarioWith } from '../../support/scenario.ts'
import { contents, copyOf, files, logOf, open, smallState } from './opened.ts'

const rich = scenarioWith({ credit: 100_000 })

async function credit({ call }: Started): Promise<number> {
  return (await call<{ credit: number }>('GET', '/api/billing/credit')).json.credit
}

async function order({ call }: Started): Promise<number> {
  return (await call('POST', '/api/product/101', { body: { clientid: 11 } })).status
}

describe('a start with a file', () => {
  it('resumes the state in the file', async () => {
    const db = join(folder(), 'sub', 'folder', 'db.json')
    const first = await start({ db, scenario: rich })
    expect(await order(first)).toBe(200)
    await first.call('PUT', '/api/service/5001', { body: { setip: '192.0.2.20' } })
    const state = structuredClone(first.simulation.store.state)
    await first.close()
    expect(readdirSync(join(db, '..'))).toEqual(['db.json'])

    const second = await start({ db })
    expect(second.simulation.store.state).toEqual(state)
    expect(await credit(second)).toBe(99_980)
    const { headers } = await second.call('PUT', '/api/service/5006', { body: { setip: '192.0.2.20' } })
    expect(headers['sim-case']).toBe('ip-already-bound')
    expect(await order(second)).toBe(200)
  })

  it('starts over if a scenario is given', async () => {
    const db = join(folder(), 'db.json')
    const first = await start({ db, scenario: rich })
    await order(first)
    await first.close()
    const second = await start({ db, scenario: rich })
    expect(await credit(second)).toBe(100_000)
    await second.close()
    const third = await start({ db })
    expect(await credit(third)).toBe(100_000)
  })

  it.each([1, 2])('fills in what an older program did not store, version %d', async (version) => {
    const db = join(folder(), 'db.json')
    const product = {
      price: 20,
      groupId: 1,
      groupName: 'Proxies',
      created_at: '2025-01-31',
      product_type: 'ppr',
    }
    const world = {
      ...(version === 2 && { version: 3 }),
      seed: 1,
      password: 'secret',
      tokens: [],
      credit: 5,
      clients: {},
      products: {
        1: { ...product, productName: 'Shown', product_hidden: false, group_hidden: false },
        2: { ...product, productName: 'Hidden', product_hidden: true, group_hidden: false },
      },
      services: {},
      invoices: {},
      limits: { updateListInterval: 60 },
      assumptions: { productSort: 'desc' },
      faults: [],
      clock: { frozen: '2026-01-31T12:00:00.000Z' },
      next: { service: 5001, order: 7001, invoice: 9001, fault: 1 },
    }
    const scenario = { name: 'old', document: { description: 'Old.', accounts: {} } }
    const state = JSON.stringify({ scenario, accounts: { reseller: world } })
    const text = `{"format":"proxysim-state","version":${version},"generation":0,"state":${state}`
    const checksum = crc32(text).toString(16).padStart(8, '0')
    writeFileSync(db, version === 1 ? `${text}}` : `${text},"checksum":"${checksum}","log":null      }\n`)

    const { call, simulation } = await start({ db })
    const { json: products } = await call<{ productId: number }[]>('GET', '/api/products')
    expect(products.map(({ productId }) => productId)).toEqual([1])
    const { json } = await call<WorldView>('GET', '/__admin/accounts/reseller')
    expect(json.limits).toEqual({ updateListInterval: 60 })
    expect(json.assumptions).toEqual({ ...defaultAssumptions, productSort: 'desc' })
    const exported = await call('GET', '/__admin/scenario')
    const { accounts } = simulation.store.state
    expect(accounts['reseller']).toMatchObject({ version: version === 2 ? 3 : 0 })
    await call('PUT', '/__admin/scenario', { raw: exported.text })
    expect(simulation.store.state.accounts).toEqual({ reseller: { ...accounts['reseller'], version: 0 } })
  })

  it('remembers which scenario a reset loads', async () => {
    const db = join(folder(), 'db.json')
    const first = await start({ db, scenario: rich })
    await order(first)
    await first.close()
    const second = await start({ db })
    await second.simulation.reset()
    expect(await credit(second)).toBe(100_000)
    const third = await start({ db: copyOf(join(db, '..')) })
    expect(await credit(third)).toBe(100_000)
  })
})

describe('an acknowledged change', () => {
  it('leaves a replaced account in its place', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json') })
    const admin = adminOf(() => running)
    await admin('POST', '/accounts', { login: 'later' })
    expect((await admin('POST', '/reset?account=reseller')).status).toBe(200)
    const logins = Object.keys(running.simulation.store.state.accounts)
    expect(logins).toEqual(['reseller', 'later'])
    const resumed = await start({ db: copyOf(path) })
    expect(Object.keys(resumed.simulation.store.state.accounts)).toEqual(logins)
  })

  it('survives a kill at any moment', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    for (let orders = 1; orders <= 5; orders++) {
      expect(await order(running)).toBe(200)
      const resumed = await start({ db: copyOf(path) })
      expect(resumed.simulation.store.state).toEqual(running.simulation.store.state)
      expect(await credit(resumed)).toBe(100_000 - orders * 20)
      await resumed.close()
    }
  })

  it('survives when many come at once', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    await Promise.all(Array.from({ length: 100 }, () => order(running)))
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(98_000)
    expect(resumed.simulation.store.state).toEqual(running.simulation.store.state)
  })

  it('survives with fsync too', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich, fsync: true })
    await Promise.all(Array.from({ length: 20 }, () => order(running)))
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(99_600)
  })

  it('survives if it is a reset', async () => {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    await order(running)
    await running.simulation.reset()
    const resumed = await start({ db: copyOf(path) })
    expect(await credit(resumed)).toBe(100_000)
    expect(resumed.simulation.store.state.accounts['reseller']?.services).not.toHaveProperty('5007')
  })
})

describe('a refused write', () => {
  /** A server with two orders, whose next write is refused. */
  async function refusing() {
    const path = folder()
    const running = await start({ db: join(path, 'db.json'), scenario: rich })
    const admin = adminOf(() => running)
    await expect.poll(() => existsSync(join(path, 'db.json'))).toBe(true)
    await order(running)
    await admin('POST', '/reset')
    await order(running)
    await order(running)
    const refuse = () => rmSync(logOf(join(path, 'db.json')))
    return { running, admin, refuse }
  }

  it.each([
    ['a reset of an account', 'POST', '/reset?account=reseller'],
    ['a deletion of an account', 'DELETE', '/accounts/reseller'],
    ['a reset', 'POST', '/reset'],
    ['a restore', 'POST', '/snapshots/before-load/restore'],
  ])('that is %s loses nothing', async (_what, method, path) => {
    const { running, admin, refuse } = await refusing()
    const before = async () => {
      const { json } = await admin<{ requests: { id: number }[] }>('GET', '/requests?operation=orderService')
      return {
        scenario: (await admin('GET', '/scenario')).json,
        snapshots: (await admin('GET', '/snapshots')).json,
        reproductions: await Promise.all(
          json.requests.map(async ({ id }) => (await admin('GET', `/requests/${id}/repro`)).json),
        ),
      }
    }
    const kept = await before()
    refuse()
    const { status, json } = await admin<{ error: string }>(method, path)
    expect(status).toBe(503)
    expect(json.error).toContain('Nothing was changed')
    expect(await before()).toEqual(kept)

    await expect.poll(() => order(running)).toBe(200)
    const { requests } = (await admin<{ requests: { id: number; status: number }[] }>('GET', '/requests'))
      .json
    const first = requests.findLast((one) => one.status === 200)?.id
    expect((await admin('POST', `/requests/${first}/rewind`)).status).toBe(200)
    expect(await credit(running)).toBe(100_000)
    await admin('POST', '/snapshots/before-load/restore')
    expect(await credit(running)).toBe(99_980)
  })

  it('of a new account leaves nothing of it', async () => {
    const { running, admin, refuse } = await refusing()
    refuse()
    expect((await admin('POST', '/accounts', { login: 'new' })).status).toBe(503)
    expect(running.simulation.store.logins()).toEqual(['reseller'])
  })

  it('is no event', async () => {
    const { running, admin, refuse } = await refusing()
    const events: string[] = []
    running.simulation.store.on((event) => {
      events.push(event.type === 'request' ? `request ${event.record.raw.status}` : event.type)
    })
    refuse()
    expect(await order(running)).toBe(503)
    await expect.poll(() => order(running)).toBe(200)
    expect(events).not.toHaveLength(0)
    expect(events.slice(-2)).toEqual(['change', 'request 200'])
    expect(new Set(events.slice(0, -2))).toEqual(new Set(['request 503']))
    await admin('DELETE', '/accounts/reseller')
    expect(events.at(-1)).toBe('change')
  })
})

it('a restore during a load keeps what it replaced', async () => {
  const { store } = await open(join(folder(), 'db.json'))
  const loaded = (name: string): State => {
    const state = smallState()
    state.scenario.name = name
    return state
  }
  await store.replace(loaded('first'))
  await Promise.all([store.replace(loaded('second')), store.restore('before-load')])
  expect(store.scenario().name).toBe('small')
  expect(await store.restore('before-load')).toMatchObject({ scenario: 'second' })
  await store.close()
})

it('the file exists soon after a first start, not only once the log has grown', async () => {
  const db = join(folder(), 'db.json')
  await start({ db, scenario: 'default' })
  await expect.poll(() => existsSync(db)).toBe(true)
})

describe('a file that is not ours', () => {
  it('is left unchanged, even if it has the name of a log', async () => {
    const db = join(folder(), 'db.json')
    writeFileSync(`${db}.0.log`, 'my own log\n')
    await expect(start({ db })).rejects.toThrow('does not begin like a change log')
    expect(readFileSync(`${db}.0.log`, 'utf8')).toBe('my own log\n')
  })

  it.each([
    ['foreign JSON', '{"posts":[]}', 'not written by proxysim'],
    ['an array', '[]', 'not written by proxysim'],
    ['null', 'null', 'not written by proxysim'],
    ['no JSON', 'hello', 'not complete JSON'],
    ['nothing', '', 'not complete JSON'],
    ['half of ours', '{"format":"proxysim-state","version":1,"gener', 'not complete JSON'],
    [
      'another version',
      '{"format":"proxysim-state","version":3,"generation":0,"state":{}}',
      'version 3, and this proxysim reads versions 1 and 2',
    ],
    [
      'ours without a state',
      '{"format":"proxysim-state","version":1,"generation":0,"state":{}}',
      'parts of it are missing',
    ],
    ['bytes', '\u0000\u0001\u0002', 'not complete JSON'],
  ])('is refused and left alone: %s', async (_what, text, why) => {
    const path = folder()
    const db = join(path, 'db.json')
    writeFileSync(db, text)
    for (const scenario of [undefined, 'default']) {
      const refused = start({ db, ...(scenario !== undefined && { scenario }) })
      await expect(refused).rejects.toThrow(why)
      await expect(refused).rejects.toThrow(db)
      await expect(refused).rejects.toThrow('--db')
    }
    expect(contents(path)).toEqual({ 'db.json': text })
    expect(readdirSync(path)).toEqual(['db.json'])
  })

  it("is refused if it is a folder, or can't have one", async () => {
    const path = folder()
    mkdirSync(join(path, 'db.json'))
    writeFileSync(join(path, 'file'), '')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow("can't be read (EISDIR")
    await expect(start({ db: join(path, 'file', 'db.json') })).rejects.toThrow("can't be created")
    expect(readdirSync(path).toSorted()).toEqual(['db.json', 'file'])
  })

  it('is refused if it is not a file at all', async () => {
    await expect(start({ db: '/dev/zero' })).rejects.toThrow('it is not a regular file')
  })

  it('is refused if its log is a folder', async () => {
    const path = folder()
    mkdirSync(join(path, 'db.json.0.log'))
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow("can't be used (EISDIR")
    expect(readdirSync(path)).toEqual(['db.json.0.log'])
  })

  it('is refused if its log is not ours', async () => {
    const path = folder()
    writeFileSync(join(path, 'db.json.0.log'), '{"posts":[]}\n')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow('is not a valid state')
    expect(contents(path)).toEqual({ 'db.json.0.log': '{"posts":[]}\n' })
  })

  it('is refused if only its log is left', async () => {
    const path = folder()
    writeFileSync(join(path, 'db.json.3.log'), '')
    await expect(start({ db: join(path, 'db.json') })).rejects.toThrow('db.json is missing, but its log')
    expect(contents(path)).toEqual({ 'db.json.3.log': '' })
  })
})

describe('a log', () => {
  /** Files of a run that was killed after three changes. */
  async function killed(): Promise<{ path: string; file: string; log: string }> {
    const path = folder()
    const first = await open(join(path, 'db.json'))
    await first.store.close()
    const { store, touch } = await open(join(path, 'db.json'))
    for (const i of [1, 2, 3]) touch(i)
    await store.flushed()
    const file = copyOf(path)
    await store.close()
    return { path: join(file, '..'), file, log: logOf(file) }
  }

  it('with an incomplete last line drops that line, says so, and is repaired', async () => {
    const { path, log } = await killed()
    const { length } = readFileSync(log)
    for (const cut of [1, 2, 20]) {
      const file = copyOf(path)
      truncateSync(logOf(file), length - cut)
      const torn = `The last line of ${logOf(file)} is incomplete`
      const { store, warnings } = await open(file)
      expect(store.world('a')?.credit).toBe(2)
      expect(warnings).toEqual([expect.stringContaining(torn)])
      await store.close()
      const again = await open(file)
      expect(again.store.world('a')?.credit).toBe(2)
      expect(again.warnings).toEqual([])
      await again.store.close()
    }
  })

  it('continues after an incomplete line', async () => {
    const { path, file, log } = await killed()
    truncateSync(log, readFileSync(log).length - 10)
    const { store, touch } = await open(file)
    touch(4)
    await store.flushed()
    const again = await open(copyOf(path))
    expect(again.store.world('a')?.credit).toBe(4)
    expect(Object.keys(again.store.world('a')?.services ?? {})).toEqual(['2', '4'])
    await again.store.close()
    await store.close()
  })

  it('with a damaged line in the middle is refused and left unchanged', async () => {
    const { path, file, log } = await killed()
    const lines = readFileSync(log, 'utf8').split('\n')
    expect(lines).toHaveLength(5)
    const whole = lines[2] as string
    for (const damaged of [
      whole.slice(0, -5),
      whole.replace('"credit":2', '"credit":3'),
      'null',
      '[1]',
      '',
    ]) {
      writeFileSync(log, [...lines.slice(0, 2), damaged, ...lines.slice(3)].join('\n'))
      const before = contents(path)
      await expect(open(file)).rejects.toThrow(`${log}:3 is damaged`)
      expect(contents(path)).toEqual(before)
      expect(readdirSync(path).toSorted()).toEqual(files(path))
    }
  })

  it('with a missing line is refused', async () => {
    const { file, log } = await killed()
    const lines = readFileSync(log, 'utf8').split('\n')
    writeFileSync(log, [...lines.slice(0, 2), ...lines.slice(3)].join('\n'))
    await expect(open(file)).rejects.toThrow(`${log}:3 is damaged`)
  })

  it('with a complete but damaged last line is refused, as that change was acknowledged', async () => {
    const { file, log } = await killed()
    writeFileSync(log, readFileSync(log, 'utf8').replace('"credit":3', '"credit":9'))
    await expect(open(file)).rejects.toThrow(`${log}:4 is damaged, so changes that were answered are missing`)
  })

  it('can be truncated where the message says, and has the state before', async () => {
    const { file, log } = await killed()
    writeFileSync(log, readFileSync(log, 'utf8').replace('"credit":3', '"credit":9'))
    const { message } = await open(file).then(
      () => new Error('it was opened'),
      (error: Error) => error,
    )
    truncateSync(log, Number(/truncate it to (\d+) bytes/.exec(message)?.[1]))
    const { store } = await open(file)
    expect(store.world('a')?.credit).toBe(2)
    await store.close()
  })
})

function generationOf(file: string): number {
  return (JSON.parse(readFileSync(file, 'utf8')) as { generation: number }).generation
}

describe('compaction', () => {
  it('during changes loses nothing and leaves nothing behind', async () => {
    const path = folder()
    const file = join(path, 'db.json')
    const { store, touch } = await open(file, { minLogBytes: 2000 })
    const generations = new Set<number>()
    for (let i = 1; i <= 2000; i++) {
      touch(i)
      if (i % 7 === 0) await store.flushed()
      if (i % 100 !== 0) continue
      await store.flushed()
      const copy = copyOf(path)
      const resumed = await open(copy)
      expect(resumed.store.state).toEqual(store.state)
      await resumed.store.close()
      generations.add(generationOf(copy))
    }
    expect(generations.size).toBeGreaterThan(3)
    const state = structuredClone(store.state)
    await store.close()
    expect(readdirSync(path)).toEqual(['db.json'])
    const resumed = await open(file)
    expect(resumed.store.state).toEqual(state)
    await resumed.store.close()
  })

  it('only happens once the log has outgrown the file', async () => {
    const path = folder()
    const file = join(path, 'db.json')
    const { store } = await open(file, { minLogBytes: 100 })
    await expect.poll(() => existsSync(file)).toBe(true)
    const world = store.world('a') as World
    const large = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [i, { username: `user ${i}` } as World['services'][string]]),
    )
    store.change('a', world, { services: large })
    await store.flushed()
    await expect.poll(() => statSync(file).size).toBeGreaterThan(40_000)
    const generation = generationOf(file)
    for (let i = 0; i < 200; i++) {
      store.change('a', world, { credit: i })
      await store.flushed()
    }
    expect(generationOf(file)).toBe(generation)
    await store.close()
  })

  /** What a kill would have left before, amid and after a replacement; the copies are of one run. */
  async function replacing() {
    const path = folder()
    const file = join(path, 'db.json')
    await (await open(file)).store.close()
    const { store, touch } = await open(file, { minLogBytes: 100 })
    const services = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`1${i}`, { username: `user ${i}` }]),
    ) as World['services']
    touch(1)
    await store.flushed()
    const before = { file: copyOf(path), state: structuredClone(store.state) }
    store.change('a', store.world('a') as World, { services })
    await store.flushed()
    for (const i of [2, 3, 4]) touch(i)
    await store.flushed()
    const amid = { file: copyOf(path), state: structuredClone(store.state) }
    const generation = generationOf(amid.file)
    await expect.poll(() => generationOf(file)).toBe(generation + 1)
    await expect.poll(() => existsSync(`${file}.${generation}.log`)).toBe(false)
    touch(5)
    await store.flushed()
    const after = { file: copyOf(path), state: structuredClone(store.state) }
    await store.close()
    for (const number of [generation, generation + 1])
      expect(existsSync(`${amid.file}.${number}.log`)).toBe(true)
    writeFileSync(`${amid.file}.4242.tmp`, 'half-written')
    return { before, amid, after, generation }
  }

  interface Copy {
    file: string
    state: State
  }

  it.each(['before', 'amid', 'late', 'after'] as const)('survives a kill: %s', async (when) => {
    const { before, amid, after, generation } = await replacing()
    // The new file is there, and the log that is in it is not yet removed.
    const late = { ...after, file: copyOf(join(after.file, '..')) }
    writeFileSync(`${late.file}.${generation}.log`, readFileSync(`${amid.file}.${generation}.log`))
    const { file, state } = { before, amid, late, after }[when]
    const { store, warnings, touch } = await open(file)
    expect(store.state).toEqual(state)
    expect(warnings).toEqual([])
    touch(9)
    const changed = structuredClone(store.state)
    await store.close()
    expect(readdirSync(join(file, '..'))).toEqual(['db.json'])
    const again = await open(file)
    expect(again.store.state).toEqual(changed)
    await again.store.close()
  })

  it('survives a kill while the next log is started', async () => {
    const { before, amid, generation } = await replacing()
    const header = readFileSync(`${amid.file}.${generation + 1}.log`, 'utf8').split('\n')[0] as string
    for (const begun of ['', header.slice(0, 5), header.slice(0, 50), `${header}\n`]) {
      const file = copyOf(join(before.file, '..'))
      writeFileSync(`${file}.${generation + 1}.log`, begun)
      const { store } = await open(file)
      expect(store.state, begun).toEqual(before.state)
      await store.close()
    }
  })

  it('survives an incomplete last line while the next log is still empty', async () => {
    const { before, generation } = await replacing()
    const { file } = before
    truncateSync(`${file}.${generation}.log`, statSync(`${file}.${generation}.log`).size - 3)
    writeFileSync(`${file}.${generation + 1}.log`, '')
    const { store, warnings, touch } = await open(file)
    expect(store.world('a')?.credit).toBe(0)
    expect(warnings).toHaveLength(1)
    touch(5)
    await store.close()
    const again = await open(file)
    expect(again.store.world('a')?.credit).toBe(5)
    await again.store.close()
  })

  it('is refused if one of its logs is missing, truncated or of another state', async () => {
    const { amid, after, generation } = await replacing()
    const first = `db.json.${generation}.log`
    const second = `db.json.${generation + 1}.log`
    const older = join(amid.file, '..')
    const wrong: [what: string, copy: Copy, spoil: (path: string) => void, why: RegExp][] = [
      ['the first is missing', amid, (path) => rmSync(join(path, first)), / is missing/],
      ['the first is cut short', amid, (path) => cutLine(join(path, first)), /was truncated/],
      [
        'the file is an older one',
        after,
        (path) => copyFileSync(amid.file, join(path, 'db.json')),
        / is missing/,
      ],
      [
        'the log is that of another generation',
        after,
        (path) => copyFileSync(join(older, first), join(path, second)),
        /under another name/,
      ],
      ['the only one is missing', after, (path) => rmSync(join(path, second)), / is missing/],
    ]
    for (const [what, { file }, spoil, why] of wrong) {
      const path = join(copyOf(join(file, '..')), '..')
      spoil(path)
      const before = contents(path)
      await expect(open(join(path, 'db.json')), what).rejects.toThrow(why)
      expect(contents(path), what).toEqual(before)
    }
  })

  /** Takes the last line off, whole. */
  function cutLine(log: string): void {
    const text = readFileSync(log, 'utf8')
    writeFileSync(log, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
  }
})

it('backs up the state that it found, if asked to, as a usable file', async () => {
  const path = folder()
  const file = join(path, 'db.json')
  const first = await open(file)
  first.touch(2)
  await first.store.close()
  const { storage, store } = await open(file)
  expect(await storage.backUp()).toBe(`${file}.bak`)
  expect(await storage.backUp()).toBe(`${file}.bak`)
  await store.close()
  const kept = await open(`${file}.bak`)
  expect(kept.store.world('a')?.credit).toBe(2)
  await kept.store.close()
  expect(readdirSync(path)).toEqual(['db.json', 'db.json.bak'])
})
