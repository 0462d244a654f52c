import { Command } from 'commander'
import { version } from '../version.ts'
import { readVariables } from './variables.ts'

/** A command's summary, and its module, which exports a function of its name. It is only loaded if the command runs. */
type Entry<Name extends string> = [
  summary: string,
  load: () => Promise<Record<Name, (command: Command) => Command>>,
]

const commands = entriesOf({
  serve: ['start a simulator (the default command)', () => import('./commands/serve.ts')],
  check: ['check scenario files, and say where they are wrong', () => import('./commands/check.ts')],
  exec: [
    'run a command against a simulator of its own, and report coverage and findings',
    () => import('./commands/exec.ts'),
  ],
  matrix: [
    'run a command once for each reading of what the documentation leaves open',
    () => import('./commands/matrix.ts'),
  ],
  sweep: [
    'run a command once for each fault its calls can meet, and report what it does',
    () => import('./commands/sweep.ts'),
  ],
  report: [
    'combine the reports of exec, matrix, sweep and calibrate into one page',
    () => import('./commands/report.ts'),
  ],
  record: ['proxy the real service and record what passes through', () => import('./commands/record.ts')],
  calibrate: [
    'compare recordings of the real service with the simulator',
    () => import('./commands/calibrate.ts'),
  ],
  probe: [
    'print the calls that would settle what the documentation leaves open',
    () => import('./commands/probe.ts'),
  ],
  scenarios: ['list the scenarios of a running simulator', () => import('./commands/scenarios.ts')],
  load: ['load a scenario into a running simulator', () => import('./commands/load.ts')],
  reset: ['load the current scenario again', () => import('./commands/reset.ts')],
  undo: ['bring back what the last load or reset replaced', () => import('./commands/undo.ts')],
  clock: ['read or set the clock', () => import('./commands/clock.ts')],
  faults: ['list, add or remove faults', () => import('./commands/faults.ts')],
  requests: ['show the requests and their answers, or follow them', () => import('./commands/requests.ts')],
  rewind: ['take an account back to just before a request', () => import('./commands/rewind.ts')],
  repro: ['write a scenario that reproduces a request elsewhere', () => import('./commands/repro.ts')],
  coverage: ['show which answers of the contract were exercised', () => import('./commands/coverage.ts')],
  state: ['show, export, import, patch, snapshot or restore the state', () => import('./commands/state.ts')],
  completion: [
    'print a script that completes commands and flags in your shell',
    () => import('./commands/completion.ts'),
  ],
})

const help = `
Examples:
  proxysim                                      at http://127.0.0.1:4010, state in data/db.json
  proxysim serve --scenario low-funds --in-memory --port 0
  proxysim exec --min-coverage 80 --report coverage.md -- npm test
  proxysim matrix -- npm test
  proxysim record --target https://real.example --output real.har
  proxysim calibrate real.har --write real.yaml
  proxysim sweep -- npm test
  proxysim faults add --operation getCredit --respond unauthenticated --times 1
  proxysim clock --advance PT1H

\`proxysim COMMAND --help\` shows the flags of a command.`

/** The command line. Only the command in `args` is loaded in full; the others are just listed in the help. */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('proxysim')
    .description('Simulates the Proxy Reselling Service API, with state, faults and reasons.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', help)
    .enablePositionalOptions()
    // Of all but one, the flags are not loaded.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: () => {} }) // `failed` reports what is thrown
  const [first = '', second = ''] = args
  const isNamed = first !== '' && !first.startsWith('-')
  const requested = first === 'help' ? second : isNamed ? first : 'serve'
  for (const [name, [summary, load]] of commands) {
    const command = program.command(name, { isDefault: name === 'serve' && !isNamed }).summary(summary)
    command.description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    // The completion script needs all commands.
    if (name === requested || requested === 'completion') readVariables((await load())[name](command))
  }
  return program
}

/** A module that does not export its command is a compile error. */
function entriesOf<Name extends string>(entries: { [N in Name]: Entry<N> }): [Name, Entry<Name>][] {
  return Object.entries(entries) as [Name, Entry<Name>][]
}
