import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { settings } from '../../src/cli/run.ts'
import { crash, genericFaults } from '../../src/faults/presets.ts'
import { createFolder } from '../support/start.ts'
import { cli, usageError } from './inProcess.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

test('the help lists every command in its group, with examples', async () => {
  const { code, stdout, stderr } = await cli(['--help'])
  expect([code, stderr]).toEqual([0, ''])
  const groups = stdout.match(/^\S.*:$/gm)
  expect(groups).toEqual([
    'Start here:',
    'Options:',
    'Start:',
    'Test a client:',
    'Control a running simulator:',
    'Compare with the real service:',
  ])
  const names = [...stdout.matchAll(/^ {2}(?!help|proxysim)(\w+) {2}/gm)].map(([, name = '']) => name)
  for (const name of names) {
    const help = await cli([name, '--help'])
    expect(help, name).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(`Usage: proxysim ${name}`)
  }
  expect(names.length).toBeGreaterThan(15)
  const tests = readdirSync(import.meta.dirname)
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('')
  const isRun = (name: string): boolean => new RegExp(`['\`]${name}['\` ]`).test(tests)
  expect(names.filter((name) => !isRun(name))).toEqual([])
})

test.each([
  [
    ['exec', '--', 'true'],
    { PROXYSIM_SCENARIO: 'nope' },
    'PROXYSIM_SCENARIO in the environment: Unknown scenario',
  ],
  [
    ['exec', '--', 'true'],
    { PROXYSIM_ASSUME: 'geo=object,productSort=dsc' },
    'PROXYSIM_ASSUME in the environment: productSort: Invalid option: expected one of "asc"|"desc"',
  ],
  [
    ['exec', '--', 'true'],
    { PROXYSIM_TLS_KEY: 'key.pem' },
    'PROXYSIM_TLS_KEY in the environment: --tls-key needs --tls-cert.',
  ],
  ...['SCENARIOS=no', 'OVERRIDE=no.mjs', 'DB=/dev/null', 'CORS=*', 'ALLOWED_HOST=a/b'].map((variable) => {
    const [name = '', value = ''] = `PROXYSIM_${variable}`.split('=')
    return [['-p', '0'], { [name]: value }, `${name} in the environment: `]
  }),
  [
    ['-p', '0', '--in-memory'],
    { HOST: '0.0.0.0' },
    'HOST in the environment: The host 0.0.0.0 can be reached by others, who could use the control plane. Bind to 127.0.0.1, or set a token (--admin-token).',
  ],
] as [string[], Record<string, string>, string][])(
  'a message about a wrong value from the environment names its variable: %j',
  async (args, env, message) => {
    expect(await cli(args, env)).toMatchObject(usageError(message))
  },
)

test.each([
  ['--cors http://localhost:*', '--cors: The CORS origin "http://localhost:*" contains a *.'],
  ['--scenario no', '--scenario: Unknown scenario "no".'],
  ['--assume geo=no', '--assume: geo: Invalid option: expected one of'],
  ['--admin-token é', '--admin-token: The admin token must be'],
  [
    '--host 0.0.0.0',
    '--host: The host 0.0.0.0 can be reached by others, who could use the control plane. Bind to 127.0.0.1, or set a token (--admin-token).',
  ],
  ['--tls-cert no', '--tls-cert needs --tls-key.'],
])('a message about a wrong value of a flag names the flag: %s', async (flags, message) => {
  const { code, stderr } = await cli(['-p', '0', '--in-memory', ...flags.split(' ')])
  expect([code, stderr.slice(0, `proxysim: ${message}`.length)]).toEqual([2, `proxysim: ${message}`])
})

test.each(['exec', 'matrix', 'sweep'])(
  '%s refuses an empty command and an empty report name',
  async (name) => {
    expect(await cli([name, '--', ''])).toMatchObject(usageError('The command is empty. Put it after --'))
    expect(await cli([name, '--report', '', '--', 'true'])).toMatchObject(
      usageError('It must end in one of: .md'),
    )
  },
)

test.each([
  [{ NO_PROXY: 'a.example', no_proxy: '' }, 'a.example,127.0.0.1 a.example,127.0.0.1'],
  [{ NO_PROXY: '', no_proxy: 'b.example' }, 'b.example,127.0.0.1 b.example,127.0.0.1'],
  [{ NO_PROXY: '*', no_proxy: 'b.example' }, '* b.example,127.0.0.1'],
])('exec adds its host to NO_PROXY: %j', async (env, expected) => {
  const file = join(createFolder(), 'seen')
  await cli(['exec', '--', 'sh', '-c', `echo "$NO_PROXY $no_proxy" > ${file}`], env)
  expect(readFileSync(file, 'utf8').trim()).toBe(expected)
})

test.each([
  ['vendor/bin/phpunit', true],
  ['node --test none.mjs', true],
  ['node tests.mjs', false],
])('sweep of %s advises against test suites: %s', async (command, isAdvised) => {
  const { stderr } = await cli(['sweep', '--', ...command.split(' ')])
  expect(stderr.startsWith('proxysim: Sweep the program, not its tests: ')).toBe(isAdvised)
})

test('the help of sweep lists every fault', async () => {
  const { stdout } = await cli(['sweep', '--help'])
  expect([...genericFaults, crash].filter(({ name }) => !stdout.includes(name))).toEqual([])
})

test.each([
  [['a && b'], "The command a && b can't be started (ENOENT). To use shell syntax: -- sh -c 'a && b'"],
  [["echo 'a'\n  b\n"], String.raw`To use shell syntax: -- sh -c 'echo '\''a'\''; b'`],
  [['A=1 npm test'], "To use shell syntax: -- sh -c 'A=1 npm test'"],
  [['$HOME/x'], "To use shell syntax: -- sh -c '$HOME/x'"],
  [['A=1', 'npm', 'run', 'a b'], "To set a variable: -- env A=1 npm run 'a b'"],
  [['cd', 'src'], "To use shell syntax: -- sh -c 'cd src; …'"],
])('a command that only a shell understands gets a hint: %j', async (command, message) => {
  expect(await cli(['exec', '--', ...command])).toMatchObject(usageError(message))
})

test('a script whose first line ends with a carriage return gets a hint', async () => {
  const file = join(createFolder(), 'run.sh')
  writeFileSync(file, '#!/bin/sh\r\ntrue\r\n', { mode: 0o755 })
  const message = `The command ${file} can't be started (ENOENT). Its first line ends with a carriage return`
  expect(await cli(['exec', '--', file])).toMatchObject(usageError(message))
})

test('`help COMMAND` equals `COMMAND --help`, and --version prints the version of the package', async () => {
  expect((await cli(['help', 'exec'])).stdout).toBe((await cli(['exec', '--help'])).stdout)
  expect((await cli(['help', 'faults'])).stdout).toContain('add ')
  expect(await cli(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  ['matrx', "unknown command 'matrx' (Did you mean matrix?)"],
  ['check', "missing required argument 'file'. See `proxysim check --help`."],
  ['--prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['exec --assum geo=object -- true', "unknown option '--assum' (Did you mean --assume?)"],
  ['--port', "option '-p, --port <n>' argument missing"],
  ['--port 70000', "argument '70000' is invalid. It must be a whole number from 0 to 65535."],
  ['--log-level loud', "argument 'loud' is invalid. Allowed choices are trace, debug, info"],
  ['state export --output -', 'It must end in .yaml or .json.'],
  ['sweep --write-accepted x.md -- true', 'It must end in .yaml.'],
  ['requests --status 4x', 'It must be a status such as 422, or a class such as 4xx.'],
  ['--db x.json --in-memory', "--db and --in-memory can't be combined. Use one of them."],
  ['--in-memory --store-prefix a', 'The prefix "a" (storePrefix) needs a shared store'],
  ['--drain 2147484', 'It must be a number from 0 to 86400.'],
  ['--assume desc', 'It must be an assumption and its value, such as productSort=desc.'],
  ['clock --freeze --resume', "option '--resume' cannot be used with option '--freeze'"],
  ['record --output x.har', '`proxysim record` needs --target URL.'],
  ['coverage --url here', '"here" is not an HTTP URL'],
  ['exec', "missing required argument 'command'. See `proxysim exec --help`."],
  ['exec --scenario low-fund -- true', 'Unknown scenario "low-fund". Did you mean "low-funds"?'],
  ['exec --assume ge=object -- true', '"geo"'],
  [
    'exec -- ./package.json',
    "It isn't executable. Run it with its interpreter, such as -- node ./package.json",
  ],
  ['matrix -- no-such-command', "The command no-such-command can't be started (ENOENT)."],
  ['matrix --only nope -- true', 'Unknown interpretation "nope". Available: '],
  ['matrix --only geo=objekt -- true', 'Unknown interpretation "geo=objekt". Did you mean "geo=object"?'],
  ['sweep --only order -- true', 'Unknown operation "order". Available: listClients'],
  ['sweep --faults lots -- true', 'Unknown fault "lots". Did you mean "lost"?'],
  ['sweep -- true', 'The command sent no request, so nothing was tested. Make it use PROXYSIM_URL.'],
])('%s is refused in one line', async (command, message) => {
  expect(await cli(command.split(' '))).toMatchObject(usageError(message))
})

test.each([
  ['JOURNAL=many', "value 'many' from env 'PROXYSIM_JOURNAL' is invalid. It must be a whole number from 0"],
  ['IN_MEMORY=maybe', 'PROXYSIM_IN_MEMORY must be 1 or 0, not "maybe".'],
  ['DB=x.json IN_MEMORY=1', "PROXYSIM_DB and PROXYSIM_IN_MEMORY can't be combined."],
])('a message about a wrong variable names it: %s', async (variables, message) => {
  const env = Object.fromEntries(variables.split(' ').map((one) => `PROXYSIM_${one}`.split('=')))
  expect(await cli(['serve', '--port', '0'], env)).toMatchObject(usageError(message))
})

test('every flag of serve can be set by the environment', async () => {
  const { stdout } = await cli(['serve', '--help'])
  const options = stdout.slice(stdout.indexOf('Options:'), stdout.indexOf('Examples:')).split(/\n(?= {2}-)/)
  const flags = options
    .map((text) => ({
      flag: /--[a-z-]+/.exec(text)?.[0] ?? '',
      variable: /env:\s+([A-Z_]+)\)/.exec(text)?.[1],
    }))
    .filter(({ flag }) => !['', '--help', '--json'].includes(flag))
  expect(flags.length).toBeGreaterThan(12)
  const exceptions: Record<string, string> = { '--port': 'PORT', '--host': 'HOST' }
  for (const { flag, variable } of flags)
    expect(variable, flag).toBe(
      exceptions[flag] ?? `PROXYSIM_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`,
    )
})

test.each([
  ['redis://u:hidden@127.0.0.1:1', 'The store redis://127.0.0.1:1/0 cannot be reached (ECONNREFUSED).'],
  ['redis://127.0.0.1:1/3', 'The store redis://127.0.0.1:1/3 cannot be reached (ECONNREFUSED).'],
  ['unix:///nowhere.sock?password=hidden', 'The store unix:///nowhere.sock cannot be reached (ENOENT).'],
  ['redis://127.0.0.1:1', "--db and --store can't", '--db', 'x.json'],
  ['redis://127.0.0.1:1', '--in-memory', '--in-memory'],
  ['redis://127.0.0.1:1', 'The name of the store prefix, "", is empty', '--store-prefix', ''],
  ...[
    'http://127.0.0.1:1',
    'redis://127.0.0.1:1/abc',
    'redis://127.0.0.1:1/0?db=3',
    'redis:///1',
    'unix://host/redis.sock',
    'unix:///redis.sock?db=1.5',
    'unix:///redis.sock?family=6',
  ].map((url) => [url, 'redis://HOST:PORT[/DB]']),
] as [string, string, ...string[]][])('--store %s is refused with %s', async (url, words, ...flags) => {
  expect(await cli(['--port', '0', '--store', url, ...flags])).toMatchObject(usageError(words))
})

test('PROXYSIM_PORT takes precedence over PORT, unless Kubernetes has set it', async () => {
  const run = (port: string) => cli(['serve', '--in-memory'], { PROXYSIM_PORT: port, PORT: 'y' })
  expect(await run('x')).toMatchObject(usageError("'x' from env 'PROXYSIM_PORT'"))
  expect(await run('tcp://10.0.0.1:4010')).toMatchObject(usageError("'y' from env 'PORT'"))
})

test('variables that are no settings get one warning', async () => {
  const env = {
    PROXYSIM_SCENARIOO: 'x',
    PROXYSIM_LOGIN: 'a',
    PROXYSIM_SERVICE_HOST: 'b',
    PROXYSIM_PORT_4010_TCP: 'c',
    PROXYSIM_RUN_DIR: 'd',
    PROXYSIM_DBFILE: '',
  }
  const { stderr } = await cli(['scenarios', '--url', 'nonsense'], env)
  expect(stderr.split('\n')[0]).toBe(
    'proxysim: Warning: not a setting, so ignored in the environment: PROXYSIM_SCENARIOO.',
  )
})

test('the settings in the environment are those of the flags', async () => {
  const help = (await cli(['--help'])).stdout
  const variables = new Set(['PROXYSIM_DEBUG', 'PROXYSIM_HOST', 'PROXYSIM_PORT'])
  const collect = ({ options, commands }: Command): void => {
    for (const { envVar } of options) if (envVar?.startsWith('PROXYSIM_')) variables.add(envVar)
    commands.forEach(collect)
  }
  for (const [, name = ''] of help.matchAll(/^ {2}(\w+) {2}/gm)) collect(await createProgram([name]))
  expect([...settings].toSorted()).toEqual([...variables].toSorted())
})
