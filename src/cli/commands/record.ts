import type { Command } from 'commander'
import { UserError } from '../../UserError.ts'
import { port } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { untilSignal } from '../untilSignal.ts'
import { counted } from '../../counted.ts'

const help = `
Point your client at the printed address instead of the real service. Everything passes through unchanged. Whatever breaks
the contract, in a request or an answer, is printed as it happens. Exchanges are saved as HAR 1.2, complete after each one,
with stand-ins for passwords, user names, e-mail and IP addresses and anything the contract does not know. Credentials are
never saved. The recorder connects to the target and to nothing else. Exits with 1 if an exchange could not be saved.

Examples:
  proxysim record --target https://real.example --output real.har
  proxysim calibrate real.har`

interface Flags {
  target?: string
  port: number
  host: string
  output?: string
  keep?: string[]
  quiet?: boolean
  contract?: string
}

export function record(command: Command): Command {
  return command
    .option('--target <url>', 'the real service (required)')
    .option('--output <file>', 'the file to record to (HAR; required)')
    .option('--port <n>', 'TCP port to listen on; 0 picks a free one', port, 4011)
    .option(
      '--host <host>',
      'address to listen on; any but 127.0.0.1 can be reached from other machines',
      '127.0.0.1',
    )
    .option('--keep <field...>', 'record the real values of these fields')
    .option('--quiet', 'do not print contract violations')
    .option('--contract <file>', 'an OpenAPI file to use instead of the bundled one')
    .addHelpText('after', help)
    .action(run)
}

async function run({ target, output, host, keep = [], quiet, contract, port: wanted }: Flags): Promise<void> {
  // Commander's own check of required flags comes before that of unknown ones, so a typo would be told as a missing flag.
  if (target === undefined || output === undefined)
    throw new UserError(
      `\`proxysim record\` needs ${target === undefined ? '--target <url>' : '--output <file>'}.`,
    )
  const { loadContract } = await import('../../contract/loadContract.ts')
  const { startRecorder } = await import('../../calibration/record/startRecorder.ts')
  const recorder = await startRecorder({
    target,
    host,
    port: wanted,
    output,
    keep,
    contract: await loadContract(contract),
    onViolation: (line) => {
      if (!quiet) process.stdout.write(`${line}\n`)
    },
    onFailure: (reason) => process.stderr.write(`proxysim: ${reason}\n`),
  })
  const stopped = untilSignal() // the reader of this line may stop us right away
  process.stdout.write(`Recording ${recorder.url} to ${output}\n`)
  await stopped
  await recorder.close()
  const { written, unknown, lost } = recorder.counts
  if (lost > 0) {
    process.stderr.write(`proxysim: ${counted(lost, 'exchange')} could not be recorded\n`)
    process.exitCode = ExitCode.found
  }
  const others = unknown > 0 ? `, ${unknown} not of this API` : ''
  process.stdout.write(`${counted(written, 'exchange')} in ${output}${others}\n`)
}
