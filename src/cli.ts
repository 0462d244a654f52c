#!/usr/bin/env node
import { ExitCode } from './cli/ExitCode.ts'
import { run } from './cli/run.ts'

// The reader may close the pipe early: `proxysim matrix --report matrix.md -- npm test | head -1`. The command still completes,
// writes its reports, and exits with the same code.
let unprinted: string | undefined
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') unprinted = code ?? message
})
process.stderr.on('error', () => {})
process.once('exit', () => {
  if (unprinted === undefined) return
  process.stderr.write(`proxysim: Can't write to standard output (${unprinted}).\n`)
  process.exitCode ||= ExitCode.usage
})

await run(process.argv.slice(2))
