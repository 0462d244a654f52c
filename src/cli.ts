#!/usr/bin/env node
import { failed } from './cli/failed.ts'
import { createProgram } from './cli/program.ts'

try {
  const program = await createProgram(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  process.exitCode = failed(error)
}
