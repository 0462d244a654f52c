import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** Finds the files whose code contains a pattern; comments and types don't count. */
function filesWith(pattern: RegExp): string[] {
  return files
    .filter((file) =>
      readFileSync(src + file, 'utf8')
        .split('\n')
        .some((line) => pattern.test(line) && !/^\s*(?:\*|\/\/|\/\*)|^import type/.test(line)),
    )
    .toSorted()
}

// SECURITY.md promises both. If you add a file here, describe it there.

test('only these files open connections', () => {
  const ways =
    /(?<!#)\bfetch\(|: fetch\)|createConnection|createProxyServer|import (?:https? |.*\brequest\b).*from 'node:|from '(?:node:(?:http2|dgram)|undici)'|import\('ioredis'\)|\b(?:http|net)\.(?:request|get|connect)\(/
  expect(filesWith(ways)).toEqual([
    'cli/commands/health.ts', // to the simulator that the same settings would start
    'client/createSender.ts', // the library and the commands, to a simulator
    'lab/calibration/record/startRecorder.ts', // to the target of `proxysim record`
    'store/redis/Connection.ts', // to the Redis of `--store`
  ])
})

test('only these files run programs, and no file evaluates code', () => {
  expect(filesWith(/node:child_process|'cross-spawn'|node:vm|node:worker_threads/)).toEqual([
    'lab/runs/runCommand.ts', // CMD of `exec -- CMD`
  ])
  expect(filesWith(/(?<!\.)\beval\(|new Function\b/)).toEqual([])
})

test('only patterns of the contract are made into regular expressions', () => {
  expect(filesWith(/new RegExp\(|\bRegExp\(/)).toEqual([
    'contract/Contract.ts', // for paths
    'lab/calibration/RecordingRedactor.ts',
    'lab/calibration/schemas.ts',
    'report/text.ts', // for widths
    'report/visible.ts', // for its pattern
  ])
})
