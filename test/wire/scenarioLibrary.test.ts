import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFile } from '../../src/scenario/NameIndex.ts'
import { folder, start, type Started, stateOf, worldOf } from '../support/start.ts'

/** A folder of scenarios, with its fixtures. */
function scenarios(files: Readonly<Record<string, string | Buffer>>): string {
  const at = folder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true })
    writeFileSync(join(at, name), content)
  }
  return at
}

const names = async (sim: Started) =>
  (await sim.call<{ name: string; description: string }[]>('GET', '/__admin/scenarios')).json
const load = (sim: Started, name: string) =>
  sim.call<{ error: string }>('POST', `/__admin/scenarios/${encodeURIComponent(name)}/load`)
const credit = async (sim: Started, login = 'reseller') =>
  (await sim.call<{ credit: number }>('GET', '/api/billing/credit', { login })).json.credit

const ana = 'accounts: { ana: { password: secret, credit: 7 } }'

describe('a folder of scenarios', () => {
  test('adds scenarios, which may extend shipped ones and each other', async () => {
    const sim = await start({
      scenario: 'richer',
      scenarios: scenarios({
        'rich.yml': 'description: Rich.\nextends: default\naccounts: { reseller: { credit: 1000 } }',
        'richer.json': JSON.stringify({
          description: 'Richer.',
          extends: 'rich',
          accounts: { reseller: { tokens: [] } },
        }),
      }),
    })
    expect(await credit(sim)).toBe(1000)
    const listed = await names(sim)
    expect(listed).toContainEqual({ name: 'rich', description: 'Rich.' })
    expect(listed).toContainEqual({ name: 'richer', description: 'Richer.' })
    expect(listed.map(({ name }) => name)).toContain('low-funds')
  })

  test('is read again each time: files may come and go', async () => {
    const at = scenarios({ 'old.yaml': `description: Old.\n${ana}` })
    const sim = await start({ scenarios: at })
    writeFileSync(join(at, 'new.yaml'), 'description: New.\nextends: old\naccounts: { ana: { credit: 8 } }')
    expect(await names(sim)).toContainEqual({ name: 'new', description: 'New.' })
    expect((await load(sim, 'new')).status).toBe(200)
    expect(await credit(sim, 'ana')).toBe(8)
    rmSync(join(at, 'new.yaml'))
    const gone = scenarios({})
    const other = await start({ scenarios: gone })
    rmSync(gone, { recursive: true })
    expect((await load(other, 'low-funds')).status).toBe(200)
    expect((await load(other, 'new')).status).toBe(404)
    expect(await load(sim, 'new')).toMatchObject({
      status: 404,
      json: { error: expect.stringContaining('Unknown scenario "new"') as string },
    })
  })

  test.each(['My Scenario', 'a.b', 'äö', '100% "off"'])('may name one %s', async (name) => {
    const sim = await start({
      scenarios: scenarios({
        [`${name}.yaml`]: `description: Named.\n${ana}`,
        'other.yaml': `description: Other.\nextends: '${name}'\naccounts: { ana: { credit: 8 } }`,
        '.hidden.yaml': `description: Hidden.\n${ana}`,
        'a.json.yaml': `description: Taken for a path.\n${ana}`,
      }),
    })
    expect((await load(sim, name)).status).toBe(200)
    expect(await credit(sim, 'ana')).toBe(7)
    expect((await load(sim, 'other')).status).toBe(200)
    expect(await credit(sim, 'ana')).toBe(8)
    expect(await names(sim)).toContainEqual({ name, description: 'Named.' })
    const listed = (await names(sim)).map((one) => one.name)
    expect(listed).not.toContain('.hidden')
    expect(listed).not.toContain('a.json')
  })

  test('takes precedence over shipped scenarios, and may extend those it shadows', async () => {
    const sim = await start({
      scenarios: scenarios({
        'default.yaml': 'description: Mine.\nextends: default\naccounts: { reseller: { credit: 3 } }',
      }),
    })
    expect(await credit(sim)).toBe(3)
    expect(Object.keys(worldOf(sim).services).length).toBeGreaterThan(5)
    expect(await names(sim)).toContainEqual({ name: 'default', description: 'Mine.' })
    // a shipped scenario that extends the name gets the user's
    expect((await load(sim, 'ip-conflict')).status).toBe(200)
    expect(await credit(sim)).toBe(3)
  })

  test('may have fixtures: records for every account, or for specific ones', async () => {
    const sim = await start({
      scenario: 'mine',
      scenarios: scenarios({
        'mine.yaml':
          'description: x\nfixtures: [goods, people]\naccounts: { ana: { password: a }, ben: { password: b, products: { 2: null } } }',
        'fixtures/goods.yaml':
          'products: { 1: { productName: A, price: 1, product_type: ppr }, 2: { productName: B, price: 2, product_type: ppr } }',
        'fixtures/people.yaml': 'accounts: { ben: { clients: { 7: { email: seven@example.com } } } }',
      }),
    })
    const records = (login: string) => {
      const { clients, products } = worldOf(sim, login)
      return [Object.keys(clients), Object.keys(products)]
    }
    expect(records('ana')).toEqual([[], ['1', '2']])
    expect(records('ben')).toEqual([['7'], ['1']])
  })

  test('may have broken files, until one of them is loaded', async () => {
    const at = scenarios({
      'broken.yaml': 'description: [',
      'wrong.yaml': `description: Wrong.\n${ana.replace('credit', 'crdit')}`,
      'picture.yaml': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
      'no scenario.yaml': ana,
      'notes.txt': 'to do',
    })
    symlinkSync(join(at, 'nowhere'), join(at, 'dangling.yaml'))
    const sim = await start({ scenarios: at })
    const listed = Object.fromEntries((await names(sim)).map(({ name, description }) => [name, description]))
    expect(listed['wrong']).toBe('Wrong.')
    expect(listed['broken']).toMatch(/^Can't be read: .*broken\.yaml:1:15: /)
    expect(listed['picture']).toMatch(/^Can't be read: .*picture\.yaml: Not UTF-8 text$/)
    expect(listed['dangling']).toMatch(/^Can't be read: .*dangling\.yaml: Can't be read \(ENOENT\)$/)
    expect(Object.keys(listed)).not.toContain('notes')
    const before = JSON.stringify(stateOf(sim))
    for (const name of ['broken', 'wrong', 'picture', 'dangling'])
      expect((await load(sim, name)).status, name).toBe(400)
    expect(JSON.stringify(stateOf(sim))).toBe(before)
  })

  test('must exist', async () => {
    await expect(start({ scenarios: join(folder(), 'nowhere') })).rejects.toThrow(
      /^The folder of scenarios .*nowhere can't be read \(ENOENT\)\.$/,
    )
  })
})

test('what is no name of a scenario is unknown', async () => {
  const { simulation } = await start()
  const odd = ['../default', 'scenarios/default', 'default.yaml', '.', '', '__proto__', 'constructor', '%00']
  for (const name of odd)
    await expect(simulation.library.load(name)).rejects.toThrow(
      /^Unknown scenario ".*Available: access-revoked, /,
    )
})

test.each([
  ['low-funds', false],
  ['mine.txt', false],
  ['mine.yaml', true],
  ['mine.yml', true],
  ['mine.json', true],
  ['./mine', true],
  ['folder/mine', true],
])('%s is a file: %s', (name, expected) => {
  expect(isFile(name)).toBe(expected)
})

describe('a separate file', () => {
  test('may extend its neighbours, which do not shadow library scenarios', async () => {
    const at = scenarios({
      'mine.yaml': 'description: x\nextends: neighbour',
      'neighbour.yaml':
        'description: x\nextends: default\nfixtures: [more]\naccounts: { reseller: { credit: 4 } }',
      'default.yaml': `description: Not this.\n${ana}`,
      'fixtures/more.yaml': 'clients: { 77: { email: more@example.com } }',
    })
    const sim = await start({ scenario: join(at, 'mine.yaml') })
    expect(await credit(sim)).toBe(4)
    expect(worldOf(sim).clients['77']).toEqual({ email: 'more@example.com' })
  })

  test('that is also in the folder of scenarios is the same one, however its path is written', async () => {
    const at = scenarios({
      'default.yaml': `description: x\nextends: default\naccounts: { reseller: { services: { 5001: null } } }`,
      'one.yaml': 'description: x\nextends: two',
      'two.yaml': 'description: x\nextends: one',
    })
    const sim = await start({ scenarios: at })
    const link = join(folder(), 'link')
    symlinkSync(at, link)
    for (const path of [at, relative(process.cwd(), at), `${at}/../${basename(at)}`, link]) {
      const { library } = sim.simulation
      expect(await library.issuesOf(`${path}/default.yaml`)).toEqual([])
      expect(await library.issuesOf(`${path}/one.yaml`)).toMatchObject([
        { message: expect.stringMatching(/in a circle: \S+one.yaml → \S+two.yaml → \S+one.yaml$/) as string },
      ])
    }
  })

  test('is not concerned by a folder beside it that cannot be read, unless it names something there', async () => {
    const at = scenarios({
      'mine.yaml': 'description: x\nextends: default\nfixtures: [catalog]',
      'more.yaml': 'description: x\nextends: default\nfixtures: [more]',
      fixtures: 'notes of someone else',
    })
    const sim = await start({ scenario: join(at, 'mine.yaml') })
    expect(await credit(sim)).toBeGreaterThan(0)
    await expect(sim.simulation.library.loadFile(join(at, 'more.yaml'))).rejects.toThrow(
      'more.yaml:3:12: fixtures.0: Unknown fixture "more". Available: catalog.',
    )
  })

  test('that is missing or a folder is reported in one line', async () => {
    const at = folder()
    await expect(start({ scenario: join(at, 'none.yaml') })).rejects.toThrow(
      /^The scenario file .*none\.yaml can't be read \(ENOENT\)\.$/,
    )
    await expect(start({ scenario: at })).rejects.toThrow(/: Not a file$/)
  })
})

test('files are checked one by one, each with its issues', async () => {
  const at = scenarios({
    'good.yaml': `description: Good.\n${ana}`,
    'bad.yaml': `description: Bad.\n${ana.replace('7', 'seven')}\nseed: x`,
    'heir.yaml': 'description: Heir.\nextends: bad',
  })
  const { library } = (await start()).simulation
  const issuesOf = async (file: string) =>
    (await library.issuesOf(join(at, file))).map((issue) => [issue.file, issue.line, issue.path])
  const bad = [
    [join(at, 'bad.yaml'), 2, 'accounts.ana.credit'],
    [join(at, 'bad.yaml'), 3, 'seed'],
  ]
  expect(await issuesOf('good.yaml')).toEqual([])
  expect(await issuesOf('bad.yaml')).toEqual(bad)
  expect(await issuesOf('heir.yaml')).toEqual(bad)
  expect(await issuesOf('none.yaml')).toEqual([[join(at, 'none.yaml'), undefined, '']])
})

test('merging follows JSON Merge Patch: lists are replaced, null removes, the rest stays', async () => {
  const at = scenarios({
    'base.yaml':
      'description: x\naccounts: { ana: { password: a, tokens: [one, two], credit: 5, clients: { 1: {}, 2: {} } }, ben: { password: b } }',
    'over.yaml':
      'description: x\nextends: base\naccounts: { ana: { tokens: [three], credit: null, clients: { 1: null, 3: {} } }, ben: null }',
  })
  const { document } = await (await start({ scenarios: at })).simulation.library.load('over')
  expect(document).toEqual({
    description: 'x',
    accounts: { ana: { password: 'a', tokens: ['three'], clients: { 2: {}, 3: {} } } },
  })
})

test('the update interval is one setting, as a limit and as an assumption', async () => {
  const at = scenarios({
    'base.yaml': 'description: x\naccounts: { ana: { password: a, limits: { updateListInterval: 60 } } }',
    'over.yaml':
      'description: x\nextends: base\naccounts: { ana: { assumptions: { updateListInterval: 5 } } }',
    'back.yaml': 'description: x\nextends: over\naccounts: { ana: { limits: { updateListInterval: 7 } } }',
  })
  const intervalOf = async (scenario: string, assumptions = {}) => {
    const sim = await start({ scenarios: at, scenario, assumptions })
    return worldOf(sim, 'ana').limits.updateListInterval
  }
  expect(await intervalOf('over')).toBe(5)
  expect(await intervalOf('back')).toBe(7)
  expect(await intervalOf('back', { updateListInterval: 0.5 })).toBe(0.5)
  const sim = await start({ scenarios: at, scenario: 'back' })
  await sim.call('PATCH', '/__admin/accounts/ana', { body: { assumptions: { updateListInterval: 9 } } })
  expect(worldOf(sim, 'ana').limits.updateListInterval).toBe(9)
})
