import { Command } from 'commander'
import { visible } from '../report/visible.ts'
import { version } from '../lib/files.ts'
import { describeCommand, normalizeVariables, simulatorFlags } from './flags.ts'

/** A command's summary, and the loader of its module, which exports a function with the command's name. */
type Entry = [summary: string, load: () => Promise<object>]

/** The commands, grouped as in the help */
const groups: Record<string, Record<string, Entry>> = {
  'Start:': {
    serve: ['start a simulator (the default command)', () => import('./commands/serve.ts')],
    check: ['check scenario files', () => import('./commands/check.ts')],
  },
  'Test a client:': {
    exec: [
      'run a command against its own simulator, and report coverage and findings',
      () => import('../lab/commands/exec.ts'),
    ],
    matrix: [
      'run a command once for each way to interpret the documentation',
      () => import('../lab/commands/matrix.ts'),
    ],
    sweep: [
      'run a command with every failure, and judge what it does',
      () => import('../lab/commands/sweep.ts'),
    ],
  },
  'Control a running simulator:': {
    health: ['ask whether the simulator is healthy', () => import('./commands/health.ts')],
    scenarios: ['list the scenarios', () => import('./commands/scenarios.ts')],
    load: ['load a scenario', () => import('./commands/load.ts')],
    reset: ['load the current scenario again', () => import('./commands/reset.ts')],
    undo: ['restore the state that the last load or reset replaced', () => import('./commands/undo.ts')],
    clock: ['show or set the clock', () => import('./commands/clock.ts')],
    timeline: ['show, add or remove scheduled changes', () => import('./commands/timeline.ts')],
    faults: ['list, add or remove faults', () => import('./commands/faults.ts')],
    requests: ['show the requests and responses, or follow them', () => import('./commands/requests.ts')],
    findings: ['show what the client did that would cause damage', () => import('./commands/findings.ts')],
    rewind: ['return an account to its state just before a request', () => import('./commands/rewind.ts')],
    repro: ['write a scenario that reproduces a request', () => import('./commands/repro.ts')],
    coverage: ['show which responses of the contract were covered', () => import('./commands/coverage.ts')],
    state: [
      'show, export, import, patch, snapshot or restore the state',
      () => import('./commands/state.ts'),
    ],
  },
  'Compare with the real service:': {
    record: ['proxy the real service and record its responses', () => import('../lab/commands/record.ts')],
    calibrate: ['compare recordings with the simulator', () => import('../lab/commands/calibrate.ts')],
    questions: [
      'print the gaps in the documentation as questions to the provider',
      () => import('./commands/questions.ts'),
    ],
  },
}

const description = `Simulates the Proxy Reselling Service API, with state, faults and reasons.

Start here:
  proxysim                           serve at http://127.0.0.1:4010
  proxysim -s low-funds --in-memory  from another scenario, saving nothing
  proxysim exec -- npm test          run tests, show coverage and findings
  proxysim sweep -- node order.js    run a program with every failure
  proxysim clock --advance PT1H      control the running simulator`

/** Creates the command line. Only the module of the command in `args` is loaded; the help lists the other commands. */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('proxysim')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show the help, also of a command')
    .addHelpCommand(
      new Command('help').argument('[command]').summary('show the help of a command').helpGroup('Start:'),
    )
    .enablePositionalOptions()
    .configureHelp({
      // Leaves out the flags, because those of other commands aren't loaded.
      subcommandTerm: (command) =>
        [
          command.name(),
          ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)),
        ].join(' '),
      showGlobalOptions: true,
      visibleGlobalOptions: ({ parent }) => (parent?.parent ? [...parent.options] : []),
      formatItemList: (heading, items, helper) =>
        items.length === 0
          ? []
          : [
              helper.styleTitle(heading),
              ...(heading === simulatorFlags
                ? [`  ${listFlags(items)}: see \`proxysim serve --help\``]
                : items),
              '',
            ],
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void process.stdout.write(visible(text)),
      outputError: () => {}, // `run` reports errors
    })
  const [first = '', second = ''] = args
  const isNamed = first !== '' && !first.startsWith('-')
  const requested = first === 'help' ? second : isNamed ? first : 'serve'
  for (const [heading, entries] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const [name, [summary, load]] of Object.entries(entries)) {
      const command = program.command(name, { isDefault: name === 'serve' && !isNamed })
      describeCommand(command, summary)
      if (name !== requested) continue
      const loaded = (await load()) as Record<string, (command: Command) => unknown>
      const define = loaded[name]
      if (!define) throw new Error(`No function named ${name} is exported by the file of the command.`)
      define(command)
      normalizeVariables(command)
    }
  }
  return program
}

/** `--scenario, --assume` from the lines of the help */
function listFlags(lines: readonly string[]): string {
  return lines.flatMap((line) => /--[a-z-]+/.exec(line)?.[0] ?? []).join(', ')
}
