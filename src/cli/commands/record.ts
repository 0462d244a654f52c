import type { Command } from 'commander'
import { port } from '../arguments.ts'
import { untilSignal } from '../untilSignal.ts'
import { counted } from '../../counted.ts'

const help = `
Point your client at the address that is printed instead of at the real service. Everything passes unchanged; what breaks
the contract, in a request or in an answer, is printed as it happens. What passed is kept as HAR 1.2, whole after each
exchange, with stand-ins for passwords, user names, e-mail and IP addresses and for whatever the contract does not know.
Credentials are never kept. No other connection is made than those to the target.

Examples:
  proxysim record --target https://real.example --output real.har
  proxysim calibrate real.har`

interface Flags {
  target: string
  port: number
  host: string
  output: string
  keep?: string[]
  quiet?: boolean
  contract?: string
}

/** `proxysim record` */
export function record(command: Command): Command {
  return command
    .requiredOption('--target <url>', 'the real service')
    .requiredOption('--output <file>', 'where to keep what passes (HAR)')
    .option('--port <n>', 'port to listen on; 0 takes a free one', port, 4011)
    .option(
      '--host <host>',
      'address to listen on; others than this machine can reach any but 127.0.0.1',
      '127.0.0.1',
    )
    .option('--keep <field...>', 'keep the values of these fields as they are')
    .option('--quiet', 'do not print what breaks the contract')
    .option('--contract <file>', 'another OpenAPI file than the shipped one')
    .addHelpText('after', help)
    .action(run)
}

async function run({ target, output, host, keep = [], quiet, contract, port: wanted }: Flags): Promise<void> {
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
  })
  const stopped = untilSignal() // whoever reads this may stop us at once
  process.stdout.write(`Recording ${recorder.url} to ${output}\n`)
  await stopped
  await recorder.close()
  process.stdout.write(`${counted(recorder.count, 'exchange')} in ${output}\n`)
}
