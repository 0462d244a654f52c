import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { version } from '../../lib/files.ts'
import { pickDefined } from '../../lib/json.ts'
import { counted } from '../../lib/text.ts'
import { paint } from '../../report/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { visible } from '../../report/visible.ts'
import type { RunningSimulator } from '../../server.ts'
import type { SimulatorOptions } from '../../SimulatorOptions.ts'
import { shownAddress } from '../../store/redis/errors.ts'
import type { State } from '../../store/State.ts'
import {
  numberParser,
  parsePort,
  envOption,
  toSimulatorOptions,
  withOptions,
  withStartFlags,
  type StartFlags,
} from '../flags.ts'
import { printMessage, printResult } from '../output.ts'
import { waitForSignal } from '../waitForSignal.ts'

const examples = `
Examples:
  proxysim -p 8080
  proxysim -s ip-conflict --in-memory
  proxysim -s ./my-scenario.yaml --db ./state.json
  HOST=0.0.0.0 PROXYSIM_ADMIN_TOKEN=… proxysim --allowed-host sim.example

Every flag can also be set by its environment variable. A flag on the command line takes precedence; an empty variable is
ignored. Lists take commas, switches take 1 or 0: PROXYSIM_ALLOWED_HOST=sim,sim.example PROXYSIM_IN_MEMORY=1

If the state file already exists, it is resumed. --scenario replaces the saved state; a backup goes to FILE.bak. A damaged
or edited file is refused; --accept-edits accepts a valid one that was edited after a clean stop.`

/** Adds the flags that decide how to serve. */
export function withServeFlags(command: Command): Command {
  withOptions(
    command,
    envOption('-p, --port <n>', 'TCP port; 0 picks a free one')
      .env('PORT')
      .default(4010)
      .argParser(parsePort),
    envOption('--host <host>', 'name or address to bind to').env('HOST').default('127.0.0.1'),
    envOption('--db <file>', 'file to save the state in').default('data/db.json'),
    envOption('--accept-edits', 'accept a state file that was edited after a clean stop'),
    envOption(
      '--store <url>',
      'share the state through Redis (redis://HOST:PORT) with all simulators that use the same store and prefix',
    ),
    envOption('--store-prefix <name>', 'key prefix in the store; each prefix is a separate state').default(
      'proxysim',
    ),
    envOption('--in-memory', 'keep the state in memory only; it is lost when the process ends'),
  )
  withStartFlags(command)
  withOptions(
    command,
    envOption('-q, --quiet', "don't log each request on a terminal"),
    envOption(
      '--admin-token <token>',
      'require this token on /__admin; required if --host is not a loopback address',
    ),
    envOption(
      '--drain <seconds>',
      'after SIGTERM, keep responding for this many seconds while the health check fails (default: 3 with --store, otherwise 0)',
    ).argParser(numberParser(0, 86_400)),
  )
  return command.option('--json', 'print the address and the accounts as JSON')
}

export function serve(command: Command): Command {
  return withServeFlags(command).addHelpText('after', examples).action(run)
}

export interface ServeFlags
  extends StartFlags,
    Pick<SimulatorOptions, 'port' | 'host' | 'db' | 'acceptEdits' | 'adminToken' | 'store' | 'storePrefix'> {
  inMemory?: boolean
  quiet?: boolean
  drain?: number
  json?: boolean
}

async function run(flags: ServeFlags, command: Command): Promise<void> {
  const { startServer } = await import('../../server.ts')
  const { host, adminToken, acceptEdits } = flags
  // On a terminal, each request is logged unless flags set the log level.
  const isDefault = (name: string): boolean => command.getOptionValueSource(name) === 'default'
  const isQuiet = flags.quiet || !isDefault('logLevel')
  const logLevel = process.stderr.isTTY && !isQuiet ? 'info' : flags.logLevel
  const storage = chooseStorage(flags, command)
  const { db, store } = storage
  const isNewFolder = db !== undefined && !existsSync(dirname(db))
  const running = await startServer(
    pickDefined({
      ...(await toSimulatorOptions(flags)),
      ...storage,
      port: flags.port,
      host,
      logLevel,
      adminToken,
      acceptEdits,
    }),
  )
  try {
    // Like a cache, the folder isn't meant for version control.
    if (isNewFolder && isDefault('db')) writeFileSync(join(dirname(db), '.gitignore'), '*\n')
    const stopped = waitForSignal() // a signal may arrive as soon as the welcome is printed
    await printWelcome(running, { ...flags, ...storage, inMemory: db === undefined })
    const signal = await stopped
    const { drain = store === undefined ? 0 : 3 } = flags
    if (signal !== 'SIGINT' && drain > 0) {
      running.drain()
      await sleep(drain * 1000)
    }
  } finally {
    await running.close()
    if (process.stderr.isTTY) printMessage(`Stopped. ${describeSaved(storage)}`)
    // Unread output would keep the process alive.
    if (process.stderr.writableLength > 0) setTimeout(() => process.exit(), 1000).unref()
  }
}

/**
 * Returns where to keep the state. A flag takes precedence over the environment variables of the others.
 * @throws UserError if there are two flags, or two variables
 */
function chooseStorage(
  { store, storePrefix, db }: ServeFlags,
  command: Command,
): Pick<SimulatorOptions, 'store' | 'storePrefix' | 'db'> {
  for (const source of ['cli', 'env', 'default']) {
    const given = command.options.filter(
      (one) =>
        ['store', 'db', 'inMemory'].includes(one.attributeName()) &&
        command.getOptionValueSource(one.attributeName()) === source,
    )
    const [first, second] = given.map((one) => (source === 'env' ? one.envVar : one.long))
    if (second !== undefined)
      throw new UserError(`${first} and ${second} can't be combined.`, { advice: 'Use one of them.' })
    const kind = given[0]?.attributeName()
    const isDefaultPrefix = command.getOptionValueSource('storePrefix') === 'default'
    const prefix = isDefaultPrefix ? {} : pickDefined({ storePrefix })
    if (kind === 'store') return pickDefined({ store, storePrefix })
    if (kind !== undefined) return pickDefined({ ...prefix, db: kind === 'db' ? db : undefined })
  }
  return {}
}

function describeSaved({ db, store }: ReturnType<typeof chooseStorage>): string {
  if (store !== undefined) return 'The state stays in the store.'
  return db === undefined ? 'The state was in memory and is gone.' : `The state is saved in ${db}.`
}

/** Maximum number of logins to show at the start */
const maxShownAccounts = 5

async function printWelcome({ url, simulation, found }: RunningSimulator, flags: ServeFlags): Promise<void> {
  const { store } = simulation
  const scenario = await store.scenario()
  const logins = await store.logins()
  const first = logins.slice(0, maxShownAccounts).map(async (login) => {
    const { password = '' } = (await store.world(login)) ?? {}
    return { login, password }
  })
  const accounts = await Promise.all(first)
  const state =
    flags.store === undefined
      ? fileLine(found, await store.state(), flags)
      : sharedLine(found, scenario.name, flags)
  const more = logins.length - accounts.length
  const lines = [
    ['scenario', `${scenario.name}: ${scenario.document.description}`],
    ...accounts.map(({ login, password }) => ['login', `${login}, password ${password}`]),
    ...(more > 0 ? [['', `and ${counted(more, 'more account')}`]] : []),
    ...(logins.length === 0 ? [['login', 'no account (try proxysim reset, or proxysim load NAME)']] : []),
    ['dashboard', `${url}/`],
    ['docs', `${url}/docs`],
    ['guide', `${url}/docs/guide`],
    ['state', state],
  ]
  const { stdout } = process
  const head = `${paint('bold', `proxysim ${version}`, stdout)} listening at ${paint('cyan', url, stdout)}`
  const shown = lines.map(
    ([name = '', value = '']) => `  ${paint('dim', name.padEnd(10), stdout)}${visible(value)}`,
  )
  printResult(
    flags,
    { url, version, scenario: scenario.name, accounts, state },
    () => [head, ...shown].join('\n'),
    { keepColours: true },
  )
}

/** Describes the shared state, with the address of its store but not the password. */
function sharedLine(found: RunningSimulator['found'], current: string, flags: ServeFlags): string {
  const { store = '', storePrefix, scenario } = flags
  const location = `shared: ${shownAddress(store)} (prefix ${storePrefix})`
  if (found?.kind !== 'joined') return location
  return `${location}; joined ${current}${scenario === undefined ? '' : `, so ${scenario} was not loaded`}`
}

/** Describes the location and origin of the state, and how to start over. */
function fileLine(
  found: RunningSimulator['found'],
  { scenario, accounts }: State,
  flags: ServeFlags,
): string {
  const { inMemory, db, assumptions } = flags
  if (inMemory) return 'in memory, lost when it stops'
  if (found?.kind === 'replaced')
    return `${db}; the previous state (${found.scenario}) is in ${relative('', found.backup)}`
  if (!found)
    return `${db}, resumed by the next start; --scenario default starts over, --in-memory saves nothing`
  const ignored = assumptions ? '; --assume applies from the next load or reset' : ''
  const changes = [...accounts.values()].reduce((sum, { version: count }) => sum + count, 0)
  return `resumed from ${db} (${scenario.name}, ${counted(changes, 'change')} since); --scenario default starts over${ignored}`
}
