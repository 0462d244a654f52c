import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { defined } from '../../defined.ts'
import type { RunningSimulator } from '../../server.ts'
import { changesSinceLoad } from '../../store/sinceLoad.ts'
import type { State } from '../../store/State.ts'
import { shownAddress } from '../../store/redis/shownAddress.ts'
import { version } from '../../version.ts'
import { atLeastOne, collectListed, port, secondsOrNone } from '../arguments.ts'
import { busy } from '../busy.ts'
import { painter } from '../paint.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { untilSignal } from '../untilSignal.ts'
import { preferFlags, settable, withOptions } from '../variables.ts'
import { counted } from '../../counted.ts'

const examples = `
Examples:
  proxysim --port 8080
  proxysim --scenario ip-conflict --in-memory
  proxysim --scenario ./my-scenario.yaml --db ./state.json
  HOST=0.0.0.0 PROXYSIM_ADMIN_TOKEN=… proxysim --allowed-host sim.example

Every flag can be set by its environment variable too. A flag on the command line wins; an empty variable counts as not
set. Lists take commas, switches take 1 or 0: PROXYSIM_ALLOWED_HOST=sim,sim.example PROXYSIM_IN_MEMORY=1

If the state file already exists, it is resumed. With --scenario it is replaced, and kept as FILE.bak. A damaged file
is refused.`

export function serve(command: Command): Command {
  withOptions(command, [
    settable('--port <n>', 'TCP port; 0 picks a free one', 'PORT').default(4010).argParser(port),
    settable('--host <host>', 'name or address to bind to', 'HOST').default('127.0.0.1'),
    settable('--db <file>', 'file to keep the state in').default('data/db.json').conflicts('inMemory'),
    settable(
      '--store <url>',
      'share the state through Redis (redis://HOST:PORT) with all simulators that use the same store and prefix',
    ).conflicts(['db', 'inMemory']),
    settable('--store-prefix <name>', 'key prefix in the store; each prefix is a separate state')
      .default('proxysim')
      .conflicts('inMemory'),
    settable(
      '--account-ttl <duration>',
      'with --store, delete accounts that are unused for this long (ISO 8601, e.g. P7D)',
    ).conflicts('inMemory'),
    settable('--max-accounts <n>', 'with --store, refuse to create more accounts')
      .argParser(atLeastOne)
      .conflicts('inMemory'),
    settable('--in-memory', 'keep the state in memory only; it is lost when the process ends'),
    settable(
      '--fsync',
      'flush every change to disk before responding, so that it survives a power failure',
    ).conflicts(['store', 'inMemory']),
  ])
  withStartFlags(command)
  withOptions(command, [
    settable('--allowed-host <name>', 'another host name to answer to (repeatable)').argParser(collectListed),
    settable('--cors <origin>', 'an origin whose pages may call /api (repeatable)').argParser(collectListed),
    settable('--admin-token <token>', 'require this token on /__admin; needed to bind beyond 127.0.0.1'),
    settable('--metrics', 'serve metrics for Prometheus at /__admin/metrics'),
    settable(
      '--drain <seconds>',
      'after SIGTERM, keep responding for this long while the health check fails, so that load balancers stop sending requests (default: 3 with --store, otherwise 0)',
    ).argParser(secondsOrNone),
  ])
  preferFlags(command, {
    db: ['in-memory', 'store', 'account-ttl', 'max-accounts'],
    store: ['db', 'in-memory', 'fsync'],
    'in-memory': ['db', 'store', 'store-prefix', 'account-ttl', 'max-accounts', 'fsync'],
  })
  return command.addHelpText('after', examples).action(run)
}

interface Flags extends StartFlags {
  port: number
  host: string
  db: string
  inMemory?: boolean
  allowedHost?: string[]
  cors?: string[]
  adminToken?: string
  store?: string
  storePrefix: string
  drain?: number
}

async function run(flags: Flags): Promise<void> {
  const { startServer } = await import('../../server.ts')
  const { store, storePrefix } = flags
  const { allowedHost: allowedHosts, cors, adminToken } = flags
  const done = busy('starting')
  const running = await startServer({
    ...startOptions(flags),
    port: flags.port,
    host: flags.host,
    ...(store === undefined ? !flags.inMemory && { db: flags.db } : { store, storePrefix }),
    ...defined({ allowedHosts, cors, adminToken }),
  }).finally(done)
  try {
    const stopped = untilSignal() // a signal may arrive as soon as the welcome is printed
    process.stdout.write(await welcome(running, flags))
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

async function welcome({ url, simulation, found }: RunningSimulator, flags: Flags): Promise<string> {
  const paint = painter(process.stdout)
  const { store } = simulation
  const scenario = await store.scenario()
  const logins = await store.logins()
  const shown = await Promise.all(
    logins.slice(0, shownAccounts).map(async (login) => ({ login, world: await store.world(login) })),
  )
  const line = (name: string, value: string): string => `  ${paint('dim', name.padEnd(10))}${value}`
  const more = logins.length - shown.length
  const lines = [
    `${paint('bold', `proxysim ${version}`)} listening at ${paint('cyan', url)}`,
    line('scenario', `${scenario.name}: ${scenario.document.description}`),
    ...shown.map(({ login, world }) => line('login', `${login}, password ${world?.password ?? ''}`)),
    ...(more > 0 ? [line('', `and ${counted(more, 'more account')}`)] : []),
    ...(logins.length === 0
      ? [line('login', 'there is no account (try proxysim reset, or proxysim load NAME)')]
      : []),
    line('dashboard', `${url}/`),
    line('docs', `${url}/docs`),
    line('guide', `${url}/docs/guide`),
    line(
      'state',
      flags.store === undefined
        ? stateLine(found, await store.state(), flags)
        : sharedLine(found, scenario.name, flags),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** Where the shared state is; the address without its password. */
function sharedLine(
  found: RunningSimulator['found'],
  present: string,
  { store = '', storePrefix, scenario }: Flags,
): string {
  const place = `shared: ${shownAddress(store)} (prefix ${storePrefix})`
  if (found?.fate !== 'joined') return place
  const ignored = scenario === undefined ? '' : `, so ${scenario} was not loaded`
  return `${place}; joined ${present}${ignored}`
}

/** Where the state is, and where it came from. */
function stateLine(found: RunningSimulator['found'], state: State, { inMemory, db, assume }: Flags): string {
  if (inMemory) return 'in memory, gone when it stops'
  if (found?.fate === 'replaced') {
    const near = relative('', found.backup)
    return `${db}; the state it held (${found.scenario}) is kept in ${near.startsWith('..') ? found.backup : near}`
  }
  if (!found) return db
  const ignored = assume ? '; --assume applies from the next load or reset' : ''
  return `resumed from ${db} (${state.scenario.name}, ${changesSinceLoad(state)}); --scenario default starts afresh${ignored}`
}
