#!/usr/bin/env node
import { failed } from './cli/failed.ts'
import { createProgram } from './cli/program.ts'

// The reader may close the pipe early: `proxysim requests | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
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
