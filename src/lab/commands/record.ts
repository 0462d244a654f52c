import type { Command } from 'commander'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { ExitCode } from '../../cli/ExitCode.ts'
import { parseHarFile, parseList, parsePort } from '../../cli/flags.ts'
import { print, printResult, printMessage } from '../../cli/output.ts'
import { waitForSignal } from '../../cli/waitForSignal.ts'

const help = `
Point your client at the printed address instead of the real service. Everything passes through unchanged. Contract
violations in requests and responses are printed as they happen. Exchanges are saved as HAR 1.2, with placeholders for
passwords, user names, e-mail and IP addresses, and everything that is not in the contract. Credentials are never saved.
The recorder only connects to the target. With --read-first, it also fetches the lists and then each record, in at most
200 read-only requests per login, so that calibrate knows the state of the account. These requests are recorded too.
Exits with 1 if an exchange could not be saved.

Examples:
  proxysim record --target https://real.example --output real.har
  proxysim calibrate real.har`

interface Flags {
  target?: string
  port: number
  host: string
  output?: string
  token?: string
  readFirst?: boolean
  allowedHost?: string[]
  keep?: string[]
  quiet?: boolean
  json?: boolean
}

export function record(command: Command): Command {
  return command
    .option('--target <url>', 'the real service (required)')
    .option('--output <file>', 'the file to record to (.har or .json; required)', parseHarFile)
    .option('-p, --port <n>', 'TCP port to listen on; 0 picks a free one', parsePort, 4011)
    .option(
      '--host <host>',
      'address to listen on; any other than 127.0.0.1 is reachable from other machines and needs --token',
      '127.0.0.1',
    )
    .option('--token <token>', 'only serve paths that begin with this: http://HOST:PORT/TOKEN/api/…')
    .option(
      '--read-first',
      'before the first request of a login, fetch its state with the read-only operations',
    )
    .option('--allowed-host <name...>', 'additional host names to accept', parseList)
    .option('--keep <field...>', 'record the real values of these fields', parseList)
    .option('-q, --quiet', "don't print contract violations")
    .option('--json', 'print JSON: a line at the start, and one at the end')
    .addHelpText('after', help)
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const { target, output, host, keep = [], quiet, port: wanted, json } = flags
  // Commander checks required flags before unknown ones, so it would report a typo as a missing flag.
  if (target === undefined || output === undefined)
    throw new UserError(
      `\`proxysim record\` needs ${target === undefined ? '--target URL' : '--output FILE'}.`,
    )
  const { loadContract } = await import('../../contract/loadContract.ts')
  const { startRecorder } = await import('../calibration/record/startRecorder.ts')
  const recorder = await startRecorder({
    target,
    host,
    port: wanted,
    output,
    allowedHosts: flags.allowedHost ?? [],
    keep,
    contract: await loadContract(),
    onViolation: (line) => {
      if (!quiet && !json) print(line)
    },
    onFailure: printMessage,
    token: flags.token,
    readFirst: flags.readFirst ?? false,
    onRead: (line) => (json ? printMessage(line) : print(line)),
  })
  const stopped = waitForSignal() // a signal may arrive as soon as the line is printed
  const { url } = recorder
  print(json ? JSON.stringify({ url, output }) : `Listening on ${url}. Recording ${target} to ${output}.`)
  await stopped
  await recorder.close()
  const { written, unknown, lost } = recorder.counts
  if (lost > 0) {
    printMessage(`${counted(lost, 'exchange')} could not be recorded.`)
    process.exitCode = ExitCode.failed
  }
  const others = unknown > 0 ? `, ${unknown} of them not with this API` : ''
  printResult(
    flags,
    { output, written, unknown, lost },
    `${counted(written, 'exchange')} in ${output}${others}`,
  )
}
