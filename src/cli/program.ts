import { Command } from 'commander'
import { version } from '../version.ts'
import { readVariables } from './variables.ts'

interface Entry {
  summary: string
  /** Adds the command's flags and action; its modules are loaded only if it runs */
  load: () => Promise<(command: Command) => Command>
}

const entries: Record<string, Entry> = {
  serve: {
    summary: 'start a simulator (the default command)',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  check: {
    summary: 'check scenario files, and say where they are wrong',
    load: async () => (await import('./commands/check.ts')).check,
  },
  exec: {
    summary: 'run a command against a simulator of its own, and report coverage and findings',
    load: async () => (await import('./commands/exec.ts')).exec,
  },
  matrix: {
    summary: 'run a command once for each reading of what the documentation leaves open',
    load: async () => (await import('./commands/matrix.ts')).matrix,
  },
  sweep: {
    summary: 'run a command once for each fault its calls can meet, and report what it does',
    load: async () => (await import('./commands/sweep.ts')).sweep,
  },
  report: {
    summary: 'combine the reports of exec, matrix, sweep and calibrate into one page',
    load: async () => (await import('./commands/report.ts')).report,
  },
  record: {
    summary: 'proxy the real service and record what passes through',
    load: async () => (await import('./commands/record.ts')).record,
  },
  calibrate: {
    summary: 'compare recordings of the real service with the simulator',
    load: async () => (await import('./commands/calibrate.ts')).calibrate,
  },
  probe: {
    summary: 'print the calls that would settle what the documentation leaves open',
    load: async () => (await import('./commands/probe.ts')).probe,
  },
  scenarios: {
    summary: 'list the scenarios of a running simulator',
    load: async () => (await import('./commands/scenarios.ts')).scenarios,
  },
  load: {
    summary: 'load a scenario into a running simulator',
    load: async () => (await import('./commands/load.ts')).load,
  },
  reset: {
    summary: 'load the current scenario again',
    load: async () => (await import('./commands/reset.ts')).reset,
  },
  undo: {
    summary: 'bring back what the last load or reset replaced',
    load: async () => (await import('./commands/undo.ts')).undo,
  },
  clock: {
    summary: 'read or set the clock',
    load: async () => (await import('./commands/clock.ts')).clock,
  },
  faults: {
    summary: 'list, add or remove faults',
    load: async () => (await import('./commands/faults.ts')).faults,
  },
  requests: {
    summary: 'show the requests and their answers, or follow them',
    load: async () => (await import('./commands/requests.ts')).requests,
  },
  rewind: {
    summary: 'take an account back to just before a request',
    load: async () => (await import('./commands/rewind.ts')).rewind,
  },
  repro: {
    summary: 'write a scenario that reproduces a request elsewhere',
    load: async () => (await import('./commands/repro.ts')).repro,
  },
  coverage: {
    summary: 'show which answers of the contract were exercised',
    load: async () => (await import('./commands/coverage.ts')).coverage,
  },
  state: {
    summary: 'show, export, import, patch, snapshot or restore the state',
    load: async () => (await import('./commands/state.ts')).state,
  },
  completion: {
    summary: 'print a script that completes commands and flags in your shell',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
}

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
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: () => {} }) // `failed` reports what is thrown
  const [first = '', second = ''] = args
  const isNamed = first !== '' && !first.startsWith('-')
  const requested = first === 'help' ? second : isNamed ? first : 'serve'
  for (const [name, { summary, load }] of Object.entries(entries)) {
    const command = program.command(name, { isDefault: name === 'serve' && !isNamed }).summary(summary)
    command.description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    // The completion script needs all commands.
    if (name === requested || requested === 'completion') readVariables((await load())(command))
  }
  return program
}
