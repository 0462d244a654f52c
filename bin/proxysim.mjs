#!/usr/bin/env node
// The command. A clone builds the program first if its sources are newer; the package holds only what is built.
import { existsSync } from 'node:fs'

const buildIfStale = new URL('../scripts/buildIfStale.mjs', import.meta.url)
if (existsSync(buildIfStale)) await (await import(buildIfStale.href)).buildToStart()
await import('../dist/cli.js')
