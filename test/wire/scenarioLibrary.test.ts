import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createFolder,
  createFolderWith,
  start,
  type TestSimulator,
  getState,
  getWorld,
} from '../support/start.ts'

const listed = async (sim: TestSimulator) => {
  const { json } = await sim.call<{ name: string; description: string }[]>('GET', '/__admin/scenarios')
  return Object.fromEntries(json.map(({ name, description }) => [name, description]))
}
const load = (sim: TestSimulator, name: string) =>
  sim.call<{ error: string }>('POST', `/__admin/scenarios/${encodeURIComponent(name)}/load`)
const credit = async (sim: TestSimulator, login = 'reseller') =>
  (await sim.call<{ credit: number }>('GET', '/api/billing/credit', { login })).json.credit

const ana = 'accounts: { ana: { password: secret, credit: 7 } }'

describe('a folder of scenarios', () => {
  test('adds scenarios, which may extend shipped ones and each other', async () => {
    const richer = { description: 'Richer.', extends: 'rich', accounts: { reseller: { tokens: [] } } }
    const sim = await start({
      scenario: 'richer',
      scenarios: createFolderWith({
        'rich.yml': 'description: Rich.\nextends: default\naccounts: { reseller: { credit: 1000 } }',
        'richer.json': JSON.stringify(richer),
        'rich.json': '{ "description": "Comes after YAML." }',
      }),
    })
    expect(await credit(sim)).toBe(1000)
    const names = await listed(sim)
    expect(names).toMatchObject({ rich: 'Rich.', richer: 'Richer.' })
    expect(Object.keys(names)).toContain('low-funds')
  })

  test('is read for each call, so files and the folder may be added and removed', async () => {
    const at = createFolderWith({ 'old.yaml': `description: Old.\n${ana}` })
    const sim = await start({ scenarios: at })
    writeFileSync(join(at, 'new.yaml'), 'description: New.\nextends: old\naccounts: { ana: { credit: 8 } }')
    expect(await listed(sim)).toMatchObject({ new: 'New.' })
    expect((await load(sim, 'new')).status).toBe(200)
    expect(await credit(sim, 'ana')).toBe(8)
    rmSync(at, { recursive: true })
    expect(await load(sim, 'new')).toMatchObject({
      status: 404,
      json: { error: expect.stringContaining('Unknown scenario "new"') as string },
    })
    expect((await load(sim, 'low-funds')).status).toBe(200)
  })

  test('may have files of any name except hidden ones', async () => {
    const names = ['My Scenario', 'a.b', 'äö', '100% "off"']
    const files = [...names, '.hidden', 'a.json'].map((name) => [
      `${name}.yaml`,
      `description: Named.\nextends: '${name === 'My Scenario' ? 'a.b' : 'empty'}'\n${ana}`,
    ])
    const sim = await start({
      scenarios: createFolderWith(Object.fromEntries(files) as Record<string, string>),
    })
    const known = await listed(sim)
    for (const name of names) {
      expect(known[name]).toBe('Named.')
      expect((await load(sim, name)).status, name).toBe(200)
      expect(await credit(sim, 'ana')).toBe(7)
    }
    for (const name of ['.hidden', 'a.json']) expect((await load(sim, name)).status, name).toBe(404)
  })

  test('takes precedence over shipped scenarios, and may extend those it shadows', async () => {
    const sim = await start({
      scenarios: createFolderWith({
        'default.yaml': 'description: Mine.\nextends: default\naccounts: { reseller: { credit: 3 } }',
      }),
    })
    expect(await credit(sim)).toBe(3)
    expect(Object.keys(getWorld(sim).services).length).toBeGreaterThan(5)
    expect(await listed(sim)).toMatchObject({ default: 'Mine.' })
    // A shipped scenario that extends `default` then extends the user's.
    expect((await load(sim, 'ip-conflict')).status).toBe(200)
    expect(await credit(sim)).toBe(3)
  })

  test('may have fixtures: records for every account, or for specific ones', async () => {
    const sim = await start({
      scenario: 'mine',
      scenarios: createFolderWith({
        'mine.yaml':
          'description: x\nfixtures: [goods, people]\naccounts: { ana: { password: a }, ben: { password: b, products: { 2: null } } }',
        'fixtures/goods.yaml':
          'products: { 1: { productName: A, price: 1, product_type: ppr }, 2: { productName: B, price: 2, product_type: ppr } }',
        'fixtures/people.yaml': 'accounts: { ben: { clients: { 7: { email: seven@example.com } } } }',
      }),
    })
    const records = (login: string) => {
      const { clients, products } = getWorld(sim, login)
      return [Object.keys(clients), Object.keys(products)]
    }
    expect(records('ana')).toEqual([[], ['1', '2']])
    expect(records('ben')).toEqual([['7'], ['1']])
  })

  test('may have broken files, until one of them is loaded', async () => {
    const at = createFolderWith({
      'broken.yaml': 'description: [',
      'wrong.yaml': `description: Wrong.\n${ana.replace('credit', 'crdit')}`,
      'picture.yaml': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
      'no scenario.yaml': ana,
      'notes.txt': 'to do',
    })
    symlinkSync(join(at, 'nowhere'), join(at, 'dangling.yaml'))
    const sim = await start({ scenarios: at })
    const names = await listed(sim)
    expect(names).toMatchObject({
      wrong: 'Wrong.',
      'no scenario': 'has no description',
      broken: expect.stringMatching(/^Can't be read: .*broken\.yaml:1:15: /) as string,
      picture: expect.stringMatching(
        /^Can't be read: .*picture\.yaml: Not UTF-8 text\. Save it as UTF-8$/,
      ) as string,
      dangling: expect.stringMatching(
        /^Can't be read: .*dangling\.yaml: Can't be read \(ENOENT\)$/,
      ) as string,
    })
    expect(Object.keys(names)).not.toContain('notes')
    const before = JSON.stringify(getState(sim))
    for (const name of ['broken', 'wrong', 'picture', 'dangling'])
      expect((await load(sim, name)).status, name).toBe(400)
    expect(JSON.stringify(getState(sim))).toBe(before)
  })

  test('must exist', async () => {
    await expect(start({ scenarios: join(createFolder(), 'nowhere') })).rejects.toThrow(
      /^The scenario folder .*nowhere can't be read \(ENOENT\)\. Choose an existing folder\.$/,
    )
  })
})

test('an invalid scenario name is unknown', async () => {
  const { simulation } = await start()
  const odd = ['../default', 'scenarios/default', 'default.yaml', '.', '', '__proto__', 'constructor', '%00']
  for (const name of odd)
    await expect(simulation.library.load(name)).rejects.toThrow(
      /^Unknown scenario ".*(?:Available: access-revoked, |Use its name: default$)/,
    )
})

describe('a separate file', () => {
  test('may extend files in its folder, which do not shadow library scenarios', async () => {
    const at = createFolderWith({
      'mine.yaml': 'description: x\nextends: neighbour',
      'neighbour.yaml':
        'description: x\nextends: default\nfixtures: [more]\naccounts: { reseller: { credit: 4 } }',
      'default.yaml': `description: Not this.\n${ana}`,
      'fixtures/more.yaml': 'clients: { 77: { email: more@example.com } }',
    })
    const sim = await start({ scenario: join(at, 'mine.yaml') })
    expect(await credit(sim)).toBe(4)
    expect(getWorld(sim).clients['77']).toEqual({ email: 'more@example.com' })
  })
})

test('merging follows JSON Merge Patch: lists are replaced, null removes, and other fields stay', async () => {
  const at = createFolderWith({
    'base.yaml':
      'description: x\naccounts: { ana: { password: a, tokens: [one, two], credit: 5, clients: { 1: {}, 2: {} } }, ben: { password: b } }',
    'over.yaml':
      'description: x\nextends: base\naccounts: { ana: { tokens: [three], credit: null, clients: { 1: null, 3: {}, 4: null } }, ben: null }',
  })
  const { document } = await (await start({ scenarios: at })).simulation.library.load('over')
  expect(document).toEqual({
    description: 'x',
    accounts: { ana: { password: 'a', tokens: ['three'], clients: { 2: {}, 3: {} } } },
  })
})
