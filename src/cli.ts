#!/usr/bin/env node
import { ExitCode } from './cli/ExitCode.ts'
import { failed } from './cli/failed.ts'
import { createProgram } from './cli/program.ts'

// The reader may close the pipe early: `proxysim matrix --report matrix.md -- npm test | head -1`. The work is still done,
// reports are written, and the exit code is the same.
let unprinted: string | undefined
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') unprinted = code ?? message
})
process.stderr.on('error', () => {})
process.once('exit', () => {
  if (unprinted === undefined) return
  process.stderr.write(`proxysim: Standard output can't be written (${unprinted}).\n`)
  process.exitCode ||= ExitCode.usage
})

const args = process.argv.slice(2)
const program = await createProgram(args)
// Commander answers `help lod` with the whole help, as an error; `lod` gets an error line that says what is wrong.
const isHelpOnNothing = args[0] === 'help' && !program.commands.some((command) => command.name() === args[1])
try {
  await program.parseAsync(isHelpOnNothing && args.length > 1 ? args.slice(1) : args, { from: 'user' })
} catch (error) {
  process.exitCode = await failed(error, program)
}
