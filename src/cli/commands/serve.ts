import { Option, type Command } from 'commander'
import type { RunningSimulator } from '../../server.ts'
import { version } from '../../version.ts'
import { collect, port } from '../arguments.ts'
import { busy } from '../busy.ts'
import { painter } from '../paint.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { untilSignal } from '../untilSignal.ts'

const examples = `
Examples:
  proxysim --port 8080
  proxysim --scenario ip-conflict --in-memory
  proxysim --scenario ./my-scenario.yaml --db ./state.json
  HOST=0.0.0.0 PROXYSIM_ADMIN_TOKEN=… proxysim --allowed-host sim.example`

/** `proxysim serve` */
export function serve(command: Command): Command {
  // An empty variable is one that is not set.
  for (const name of ['PORT', 'HOST', 'PROXYSIM_ADMIN_TOKEN'])
    if (process.env[name] === '') delete process.env[name]
  return withStartFlags(
    command
      .addOption(
        new Option('--port <n>', 'TCP port; 0 takes a free one').env('PORT').default(4010).argParser(port),
      )
      .addOption(new Option('--host <host>', 'name or address to bind to').env('HOST').default('127.0.0.1'))
      .addOption(
        new Option('--db <file>', 'file that the state lasts in')
          .default('data/db.json')
          .conflicts('inMemory'),
      )
      .option('--in-memory', 'keep the state in memory: it is gone at the end')
      .option('--fsync', 'wait for the disk itself at every change'),
  )
    .option('--allowed-host <name>', 'a further host name to answer to (repeatable)', collect)
    .option('--cors <origin>', 'an origin whose pages may use /api (repeatable)', collect)
    .addOption(
      new Option('--admin-token <token>', 'demanded on /__admin; a must beyond 127.0.0.1').env(
        'PROXYSIM_ADMIN_TOKEN',
      ),
    )
    .addHelpText('after', examples)
    .action(run)
}

interface Flags extends StartFlags {
  port: number
  host: string
  db: string
  inMemory?: boolean
  fsync?: boolean
  allowedHost?: string[]
  cors?: string[]
  adminToken?: string
}

async function run(flags: Flags): Promise<void> {
  const { startServer } = await import('../../server.ts')
  const done = busy('starting')
  const running = await startServer({
    ...startOptions(flags),
    port: flags.port,
    host: flags.host,
    ...(!flags.inMemory && { db: flags.db }),
    ...(flags.fsync && { fsync: true }),
    ...(flags.allowedHost && { allowedHosts: flags.allowedHost }),
    ...(flags.cors && { cors: flags.cors }),
    ...(flags.adminToken !== undefined && { adminToken: flags.adminToken }),
  }).finally(done)
  process.stdout.write(welcome(running, flags))
  await untilSignal()
  await running.close()
}

/** Logins that are shown at the start */
const shownAccounts = 5

function welcome({ url, simulation }: RunningSimulator, { inMemory, db }: Flags): string {
  const paint = painter(process.stdout)
  const { scenario, accounts } = simulation.store.state
  const logins = Object.entries(accounts)
  const rows: [string, string][] = [
    ['scenario', `${scenario.name}: ${scenario.document.description}`],
    ...logins
      .slice(0, shownAccounts)
      .map(([login, { password }]): [string, string] => ['login', `${login}, password ${password}`]),
    ...(logins.length > shownAccounts
      ? [['', `and ${logins.length - shownAccounts} more accounts`] satisfies [string, string]]
      : []),
    ...(logins.length === 0
      ? [
          ['login', 'none: no account is there (proxysim reset, or proxysim load NAME)'] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ['dashboard', `${url}/`],
    ['docs', `${url}/docs`],
    ['guide', `${url}/docs/guide`],
    ['state', inMemory ? 'in memory, gone at the end' : db],
  ]
  const lines = rows.map(([name, value]) => `  ${paint('dim', name.padEnd(10))}${value}`)
  return `${paint('bold', `proxysim ${version}`)} listening at ${paint('cyan', url)}\n${lines.join('\n')}\n`
}
