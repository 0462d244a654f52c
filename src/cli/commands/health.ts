import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { Command } from 'commander'
import { UserError } from '../../lib/UserError.ts'
import { ExitCode } from '../ExitCode.ts'
import { normalizeVariables, parsePositive } from '../flags.ts'
import { print, printMessage } from '../output.ts'
import { type ServeFlags, withServeFlags } from './serve.ts'

const help = `
Asks the simulator that \`proxysim serve\` would start here with the same flags and variables, at its port, host and TLS.
Exits with 0 if it is healthy, and with 1 if it isn't. The image's health check uses it.

Examples:
  proxysim health
  proxysim health --port 8080
  proxysim health --pid 1          in a container, with the flags that its command has`

/** Milliseconds to wait for the response */
const timeout = 2000

export function health(command: Command): Command {
  return withServeFlags(command)
    .option('--pid <n>', 'take the flags from the command line of this process (/proc)', parsePositive)
    .addHelpText('after', help)
    .action(run)
}

async function run(given: ServeFlags & { pid?: number }): Promise<void> {
  const flags = given.pid === undefined ? given : readFlags(given.pid)
  const { host = '127.0.0.1', port } = flags
  if (port === 0) throw new UserError('The port is 0, so it is not known.', { options: ['port'] })
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host.replace(/^\[(.*)\]$/, '$1')
  const address = { host: name, port, path: '/__admin/health', timeout, agent: false as const }
  const isTls = flags['tls.cert'] !== undefined
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    // The certificate is that of this simulator, and may be for another name.
    const sent = isTls ? requestTls({ ...address, rejectUnauthorized: false }) : request(address)
    sent.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (part: string) => (body += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: body }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeout / 1000} seconds`)))
    sent.on('error', ({ message }) => resolve({ status: 0, text: message }))
    sent.end()
  })
  if (status === 200) return print('ok')
  const hint = process.env['PROXYSIM_URL'] ? ' (where `serve` would listen; PROXYSIM_URL is not used)' : ''
  printMessage(`Not healthy at ${name} port ${port}${hint}: ${status === 0 ? '' : `${status} `}${text}`)
  process.exitCode = ExitCode.failed
}

/** Reads the flags of `serve` from the command line of a process. */
function readFlags(pid: number): ServeFlags {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const start = words.findLastIndex((word) => /(?:^|\/)(?:proxysim|proxysim\.mjs|cli\.js)$/.test(word)) + 1
  const args = words.slice(words[start] === 'serve' ? start + 1 : start)
  const command = withServeFlags(new Command())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  normalizeVariables(command)
  return command.parse(start === 0 ? [] : args, { from: 'user' }).opts()
}
