import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSimulator, startSimulator, UserError, type SimulatorOptions, type StartOptions } from 'proxysim'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proxysim-options-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** As plain JavaScript calls it: nothing may be left open, nor in the folder. */
async function refusal(options: unknown): Promise<string> {
  const listening = () =>
    process.getActiveResourcesInfo().filter((one) => one === 'TCPServerWrap' || one === 'PipeWrap').length
  const before = listening()
  const error: unknown = await startSimulator(options as StartOptions).then(
    async (sim) => sim.close(),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ name: 'UserError', code: 'ERR_PROXYSIM_USAGE' })
  await vi.waitFor(() => expect(listening()).toBe(before)) // a closed one is gone a turn later
  expect(readdirSync(folder)).toEqual([])
  return (error as UserError).message
}

const text = 'must be a string.'
const wrong: Record<keyof SimulatorOptions, [value: unknown, message: string][]> = {
  scenario: [
    [5, 'must be the name of a scenario, a file, or the scenario itself, not 5.'],
    [null, 'not null.'],
    [[], 'not [].'],
  ],
  port: [
    ['abc', 'must be a whole number from 0 (any free port) to 65535, not "abc".'],
    [70_000, 'not 70000.'],
    [1.5, 'not 1.5.'],
  ],
  host: [[1, text]],
  allowedHosts: [['sim', 'must be an array of strings, not "sim".']],
  adminToken: [[12_345, text]],
  tls: [
    [{ cert: 'a' }, 'must be an object { cert, key } of two texts in PEM.'],
    [{ cert: 'a', key: 'b' }, 'The option tls.cert is not a certificate in PEM'],
  ],
  cors: [[[1], 'must be an array of strings, not [ 1 ].']],
  db: [
    ['', 'must be the name of a file, not "".'],
    [true, 'not true.'],
  ],
  store: [[6379, text]],
  storePrefix: [
    [1, 'must be a text that is not empty'],
    ['', 'must be a text that is not empty'],
  ],
  scenarios: [[{}, text]],
  contract: [[1, text]],
  assumptions: [
    [['geo=foo'], 'must be an object such as { productSort: "desc" }'],
    [{ geo: 'foo' }, 'The assumption geo: '],
  ],
  explain: [['false', 'must be true or false, not "false".']],
  journal: [
    [1e20, 'must be a whole number from 0 to 9007199254740991, not 100000000000000000000.'],
    [-1, 'not -1.'],
  ],
  logLevel: [['loud', 'must be one of: trace, debug, info, warn, error, fatal, silent, not "loud".']],
}
const names = Object.keys(wrong)

test.each(Object.entries(wrong).flatMap(([name, cases]) => cases.map((one) => [name, ...one] as const)))(
  'the option %s must not be %j',
  async (name, value, message) => {
    const said = await refusal({ db: join(folder, 'db.json'), [name]: value })
    expect(said).toContain(message)
    expect(said).not.toContain('12345')
  },
)

test('a typo is an unknown option', async () => {
  expect(await refusal({ db: join(folder, 'db.json'), portx: undefined })).toMatch(
    'Unknown option "portx". Did you mean "port"?',
  )
})

test('an option that does nothing without another is refused', async () => {
  expect(await refusal({ storePrefix: 'mine' })).toBe(
    'The prefix "mine" (storePrefix) needs a shared store (store).',
  )
})

test.each([null, 'low-funds', 4010, []])('the options must not be %j', async (options) => {
  expect(await refusal(options)).toMatch('The options must be an object such as { port: 4010 }, not ')
})

test('a host that no URL can contain leaves nothing running', async () => {
  expect(await refusal({ host: '::1%1' })).toContain('::1%1')
})

test('an undefined option is its default', async () => {
  const options = Object.fromEntries(names.map((name) => [name, undefined]))
  await using sim = await startSimulator(options)
  expect((await sim.health()).scenario).toBe('default')
})

test.each([undefined, 'http://127.0.0.1:1'])(
  'openSimulator checks options if PROXYSIM_URL is %j',
  async (url) => {
    vi.stubEnv('PROXYSIM_URL', url)
    const options = { scenrio: 'low-funds' } as StartOptions
    await expect(openSimulator(options)).rejects.toThrow('Unknown option "scenrio". Did you mean "scenario"?')
  },
)
