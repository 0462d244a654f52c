#!/usr/bin/env node
// The command. In a clone, it first builds the program if a source is newer; the package contains only the build.
import { existsSync } from 'node:fs'

// Checked before the program is imported, because older versions can't parse it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`proxysim: needs Node 20.19 or later; this is ${process.versions.node}.`)
  process.exit(2)
}

const buildIfStale = new URL('../scripts/buildIfStale.mjs', import.meta.url)
if (existsSync(buildIfStale)) await (await import(buildIfStale.href)).buildToStart(process.argv.slice(2))
await import('../dist/cli.js')
