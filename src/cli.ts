#!/usr/bin/env node
import { ExitCode } from './cli/ExitCode.ts'
import { run } from './cli/run.ts'

// The reader may close the pipe early: `proxysim matrix --report matrix.md -- npm test | head -1`. The command still completes,
// writes its reports, and exits with the same code.
let writeError: string | undefined
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') writeError = code ?? message
})
process.stderr.on('error', () => {})
process.once('exit', () => {
  if (writeError === undefined) return
  process.stderr.write(`proxysim: Can't write to standard output (${writeError}).\n`)
  process.exitCode ||= ExitCode.couldNotRun
})

await run(process.argv.slice(2))
