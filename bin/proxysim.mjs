#!/usr/bin/env node
// The command. A clone builds the program first if its sources are newer; the package holds only what is built.
import { existsSync } from 'node:fs'

// Checked before anything else is loaded: the program itself doesn't even parse on older versions.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`proxysim: needs Node 20.19 or later; this is ${process.versions.node}.`)
  process.exit(2)
}

const buildIfStale = new URL('../scripts/buildIfStale.mjs', import.meta.url)
if (existsSync(buildIfStale)) await (await import(buildIfStale.href)).buildToStart(process.argv.slice(2))
await import('../dist/cli.js')
