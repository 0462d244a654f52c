import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { counted } from '../../lib/text.ts'
import { defined } from '../../lib/json.ts'
import { readTls } from '../../http/tls.ts'
import { paint } from '../../report/text.ts'
import type { RunningSimulator } from '../../server.ts'
import { shownAddress } from '../../store/redis/shownAddress.ts'
import { changesSinceLoad } from '../../store/sinceLoad.ts'
import { version } from '../../lib/files.ts'
import type { Command } from 'commander'
import {
  list,
  port,
  preferFlags,
  secondsOrNone,
  settable,
  startOptions,
  withOptions,
  withStartFlags,
  type StartFlags,
} from '../flags.ts'
import { printResult } from '../output.ts'
import { untilSignal } from '../untilSignal.ts'

const examples = `
Examples:
  proxysim -p 8080
  proxysim -s ip-conflict --in-memory
  proxysim -s ./my-scenario.yaml --db ./state.json
  HOST=0.0.0.0 PROXYSIM_ADMIN_TOKEN=… proxysim --allowed-host sim.example

Every flag can be set by its environment variable, too. A flag on the command line wins; an empty variable counts as not
set. Lists take commas, switches take 1 or 0: PROXYSIM_ALLOWED_HOST=sim,sim.example PROXYSIM_IN_MEMORY=1

If the state file already exists, it is resumed. --scenario replaces the saved state; a backup goes to FILE.bak. A damaged
file is refused.`

export function serve(command: Command): Command {
  withOptions(command, [
    settable('-p, --port <n>', 'TCP port; 0 picks a free one', 'PORT').default(4010).argParser(port),
    settable('--host <host>', 'name or address to bind to', 'HOST').default('127.0.0.1'),
    settable('--db <file>', 'file to keep the state in').default('data/db.json').conflicts('inMemory'),
    settable(
      '--store <url>',
      'share the state through Redis (redis://HOST:PORT) with all simulators that use the same store and prefix',
    ).conflicts(['db', 'inMemory']),
    settable('--store-prefix <name>', 'key prefix in the store; each prefix is a separate state')
      .default('proxysim')
      .conflicts('inMemory'),
    settable('--in-memory', 'keep the state in memory only; it is lost when the process ends'),
  ])
  withStartFlags(command)
  withOptions(command, [
    settable('-q, --quiet', 'on a terminal, do not log each request'),
    settable('--allowed-host <name...>', 'other host names to serve').argParser(list),
    settable('--cors <origin...>', 'origins whose pages may call /api').argParser(list),
    settable('--admin-token <token>', 'require this token on /__admin; needed to bind beyond 127.0.0.1'),
    settable('--tls-cert <file>', 'serve https with this certificate (PEM)'),
    settable('--tls-key <file>', 'the key of the certificate (PEM)'),
    settable(
      '--drain <seconds>',
      'after SIGTERM, keep responding for this long while the health check fails (default: 3 with --store, otherwise 0)',
    ).argParser(secondsOrNone),
  ])
  preferFlags(command, {
    db: ['in-memory', 'store'],
    store: ['db', 'in-memory'],
    'in-memory': ['db', 'store', 'store-prefix'],
  })
  return command
    .option('--json', 'print the address and the accounts as JSON')
    .addHelpText('after', examples)
    .action(run)
}

interface Flags extends StartFlags {
  port: number
  host: string
  db: string
  inMemory?: boolean
  quiet?: boolean
  allowedHost?: string[]
  cors?: string[]
  adminToken?: string
  store?: string
  storePrefix: string
  tlsCert?: string
  tlsKey?: string
  drain?: number
  json?: boolean
}

async function run(flags: Flags, command: Command): Promise<void> {
  const { startServer } = await import('../../server.ts')
  const { store, storePrefix, allowedHost: allowedHosts, cors, adminToken } = flags
  // People at a terminal see each request, unless they chose what to see.
  const isLogged =
    process.stderr.isTTY && !flags.quiet && command.getOptionValueSource('logLevel') === 'default'
  const running = await startServer({
    ...startOptions(flags),
    ...(isLogged && { logLevel: 'info' as const }),
    port: flags.port,
    host: flags.host,
    ...(store === undefined ? !flags.inMemory && { db: flags.db } : { store, storePrefix }),
    ...defined({ allowedHosts, cors, adminToken, tls: readTls(flags.tlsCert, flags.tlsKey) }),
  })
  try {
    const stopped = untilSignal() // a signal may arrive as soon as the welcome is printed
    await welcome(running, flags)
    const signal = await stopped
    const { drain = store === undefined ? 0 : 3 } = flags
    if (signal === 'SIGTERM' && drain > 0) {
      running.drain()
      await sleep(drain * 1000)
    }
  } finally {
    await running.close()
  }
}

/** How many logins to show at the start */
const shownAccounts = 5

async function welcome({ url, simulation, found }: RunningSimulator, flags: Flags): Promise<void> {
  const { store } = simulation
  const scenario = await store.scenario()
  const logins = await store.logins()
  const accounts = await Promise.all(
    logins.slice(0, shownAccounts).map(async (login) => ({
      login,
      password: (await store.world(login))?.password ?? '',
    })),
  )
  const state =
    flags.store === undefined
      ? fileLine(found, changesSinceLoad(await store.state()), scenario.name, flags)
      : sharedLine(found, scenario.name, flags)
  const painted = (format: 'bold' | 'cyan' | 'dim', text: string): string =>
    paint(format, text, process.stdout)
  const line = (name: string, value: string): string => `  ${painted('dim', name.padEnd(10))}${value}`
  const more = logins.length - accounts.length
  printResult(flags, { url, version, scenario: scenario.name, accounts, state }, () =>
    [
      `${painted('bold', `proxysim ${version}`)} listening at ${painted('cyan', url)}`,
      line('scenario', `${scenario.name}: ${scenario.document.description}`),
      ...accounts.map(({ login, password }) => line('login', `${login}, password ${password}`)),
      ...(more > 0 ? [line('', `and ${counted(more, 'more account')}`)] : []),
      ...(logins.length === 0
        ? [line('login', 'no account (try proxysim reset, or proxysim load NAME)')]
        : []),
      line('dashboard', `${url}/`),
      line('docs', `${url}/docs`),
      line('guide', `${url}/docs/guide`),
      line('state', state),
    ].join('\n'),
  )
}

/** Where the shared state is; the address without its password. */
function sharedLine(found: RunningSimulator['found'], present: string, flags: Flags): string {
  const { store = '', storePrefix, scenario } = flags
  const place = `shared: ${shownAddress(store)} (prefix ${storePrefix})`
  if (found?.fate !== 'joined') return place
  return `${place}; joined ${present}${scenario === undefined ? '' : `, so ${scenario} was not loaded`}`
}

/** Where the state is, where it came from, and how to start over. */
function fileLine(found: RunningSimulator['found'], changes: string, present: string, flags: Flags): string {
  const { inMemory, db, assume } = flags
  if (inMemory) return 'in memory, lost when it stops'
  if (found?.fate === 'replaced') {
    const near = relative('', found.backup)
    return `${db}; the previous state (${found.scenario}) is in ${near.startsWith('..') ? found.backup : near}`
  }
  if (!found)
    return `${db}, resumed by the next start; --scenario default starts over, --in-memory saves nothing`
  const ignored = assume ? '; --assume applies from the next load or reset' : ''
  return `resumed from ${db} (${present}, ${changes}); --scenario default starts over${ignored}`
}
