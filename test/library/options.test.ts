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

/** Starts a simulator as plain JavaScript would. Checks that it fails, and leaves no open server and no file. */
async function getRefusal(options: unknown): Promise<string> {
  const listening = () =>
    process.getActiveResourcesInfo().filter((one) => one === 'TCPServerWrap' || one === 'PipeWrap').length
  const before = listening()
  const error: unknown = await startSimulator(options as StartOptions).then(
    async (sim) => sim.close(),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ name: 'UserError', code: 'ERR_PROXYSIM_USAGE' })
  await vi.waitFor(() => expect(listening()).toBe(before)) // a closed server disappears one turn later
  expect(readdirSync(folder)).toEqual([])
  return (error as UserError).message
}

/** A value of a wrong type for each option, or of a type that has a range */
const wrong: Record<keyof SimulatorOptions, [message: string, ...values: unknown[]]> = {
  scenario: ['must be of type string or object.', 5, null, []],
  port: ['must be a whole number from 0 (any free port) to 65535.', 70_000, 1.5, Number.NaN],
  host: ['must be of type string.', 1],
  allowedHosts: ['must be of type array.', 'sim'],
  adminToken: ['must be of type string.', 12_345],
  tls: ['must be of type object.', 'a'],
  cors: ['must be of type array.', '*'],
  db: ['must be of type string.', true],
  acceptEdits: ['must be of type boolean.', 'yes'],
  store: ['must be of type string.', 6379],
  storePrefix: ['must be of type string.', 1],
  scenarios: ['must be of type string.', {}],
  assumptions: ['must be of type object.', ['geo=foo']],
  explain: ['must be of type boolean.', 'false'],
  overrides: ['must be of type object or string.', 5, []],
  journal: ['must be a whole number of requests.', 1e20, -1],
  logLevel: ['must be one of: trace, debug, info, warn, error, fatal, silent.', 'loud'],
}
const optionNames = Object.keys(wrong)
const cases = Object.entries(wrong).flatMap(([name, [message, ...values]]) =>
  values.map((value) => [name, value, `The option ${name} ${message}`] as const),
)

test.each([
  ...cases,
  ['tls', { cert: 'a' }, 'The TLS certificate'],
  ['port', 'abc', 'The option port must be of type number.'],
  ['db', '', 'The name of the state file, "", is empty.'],
  ['db', 'data.json\r', 'The name of the state file, "data.json\\r", contains a control character'],
  [
    'db',
    '"q.json"',
    'The name of the state file, "\\"q.json\\"", is in quotes. Write the plain path of a file.',
  ],
  ['db', '“q.json”', 'is in quotes.'],
  ['db', ' q.json', 'begins or ends with a space.'],
  ['db', '~/d.json', 'begins with ~, which only a shell replaces.'],
  ['db', '~root/d.json', 'begins with ~, which only a shell replaces.'],
  ['db', '~+/d.json', 'begins with ~, which only a shell replaces.'],
  ['db', 'd.json # mine', 'contains a comment.'],
  ['db', '$HOME/d.json', 'contains a variable or a command, which only a shell replaces.'],
  ['db', '${HOME}/d.json', 'contains a variable'],
  ['db', '`pwd`/d.json', 'contains a variable or a command'],
  ['db', '%APPDATA%\\d.json', 'contains a variable'],
  ['db', 'file:///d.json', 'is a URL.'],
  ['db', 'redis://127.0.0.1', 'is a URL.'],
  ['assumptions', { geo: 'foo' }, 'geo: Invalid option: expected one of "code"|"object"'],
] as const)('the option %s must not be %j', async (name, value, message) => {
  expect(await getRefusal({ db: join(folder, 'db.json'), [name]: value })).toContain(message)
})

test('a typo is an unknown option', async () => {
  expect(await getRefusal({ db: join(folder, 'db.json'), portx: undefined })).toMatch(
    'Unknown option "portx". Did you mean "port"?',
  )
})

test('an option that has no effect without another is refused', async () => {
  expect(await getRefusal({ storePrefix: 'mine' })).toBe(
    'The prefix "mine" (storePrefix) needs a shared store (store).',
  )
})

test.each([null, 'low-funds', 4010, []])('the options must not be %j', async (options) => {
  expect(await getRefusal(options)).toBe('The options must be an object such as { port: 4010 }.')
})

test('a host that no URL can contain leaves nothing running', async () => {
  expect(await getRefusal({ host: '::1%1' })).toContain('::1%1')
})

test('an undefined option has its default value', async () => {
  const options = Object.fromEntries(optionNames.map((name) => [name, undefined]))
  await using sim = await startSimulator(options)
  expect((await sim.health()).scenario).toBe('default')
})

test.each([
  [{ scenario: 'low-fund' }, ['scenario']],
  [{ host: '0.0.0.0' }, ['host', 'adminToken']],
  [{ assumptions: { geo: 'foo' } }, ['assumptions']],
  [{ tls: { cert: 'a', key: 'b' } }, ['tls.cert', 'tls.key']],
] as [StartOptions, string[]][])('the error for %j names the options %j', async (options, names) => {
  await expect(startSimulator(options)).rejects.toMatchObject({ options: names })
})

test('an error has its problem and its advice', async () => {
  await using sim = await startSimulator()
  const port = Number(new URL(sim.url).port)
  await expect(startSimulator({ port })).rejects.toMatchObject({
    problem: `Port ${port} of 127.0.0.1 is taken.`,
    advice: 'Stop the program that uses it, or choose another port; 0 picks a free one.',
    options: ['port'],
  })
})

test.each([undefined, 'http://127.0.0.1:1'])(
  'openSimulator checks options if PROXYSIM_URL is %j',
  async (url) => {
    vi.stubEnv('PROXYSIM_URL', url)
    const options = { scenrio: 'low-funds' } as StartOptions
    await expect(openSimulator(options)).rejects.toThrow('Unknown option "scenrio". Did you mean "scenario"?')
  },
)
