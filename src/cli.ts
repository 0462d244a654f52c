#!/usr/bin/env node
import { failed } from './cli/failed.ts'
import { createProgram } from './cli/program.ts'

// The reader may close the pipe early: `proxysim requests | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

const program = await createProgram(process.argv.slice(2))
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = failed(error, program)
}
