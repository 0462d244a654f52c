import { expect, test } from 'vitest'
import { windowsCommand } from '../../src/lab/runs/windowsCommand.ts'

const files: Record<string, string> = {
  'C:\\node\\node.exe': 'MZ',
  'C:\\node\\npx.cmd': '@ECHO OFF',
  'C:\\node\\npx': '#!/bin/sh',
  'node_modules\\.bin\\vitest.cmd': '@ECHO off',
  'run.bat': '@echo off',
  'check.mjs': '#!/usr/bin/env node\n',
  tool: '#!/usr/bin/python3\n',
}
/** Windows ignores the case of names. */
const readStart = (path: string): string | undefined =>
  Object.entries(files).find(([name]) => name.toLowerCase() === path.toLowerCase())?.[1]

const env = { Path: '"C:\\node";D:\\tools', PathExt: '.com;.exe;.bat;.cmd', ComSpec: 'C:\\cmd.exe' }

test.each([
  ['a program is started directly', ['node', 'a b'], 'C:\\node\\node.exe', ['a b']],
  ['npx is a .cmd', ['npx', 'vitest', 'run'], 'C:\\cmd.exe', String.raw`C:\node\npx.cmd ^"vitest^" ^"run^"`],
  [
    'arguments are quoted and escaped',
    ['./run.bat', 'a b', 'say "hi"', 'C:\\dir\\', '%PATH%', 'a&b'],
    'C:\\cmd.exe',
    String.raw`run.bat ^"a^ b^" ^"say^ \^"hi\^"^" ^"C:\dir\\^" ^"^%PATH^%^" ^"a^&b^"`,
  ],
  [
    'twice for the scripts of npm',
    ['node_modules/.bin/vitest', 'a b'],
    'C:\\cmd.exe',
    String.raw`node_modules\.bin\vitest.cmd ^^^"a^^^ b^^^"`,
  ],
  ['a script has an interpreter', ['./check.mjs', 'x'], 'C:\\node\\node.exe', ['check.mjs', 'x']],
  ['which may be missing', ['tool'], 'C:\\cmd.exe', 'python3 ^"tool^"'],
  ['an unknown program stays as it is, so that spawn reports it', ['nosuch', 'x'], 'nosuch', ['x']],
])('%s', (_name, command, file, expected) => {
  const isLine = typeof expected === 'string'
  expect(windowsCommand(command, env, readStart)).toEqual({
    file,
    args: isLine ? ['/d', '/s', '/c', `"${expected}"`] : expected,
    windowsVerbatimArguments: isLine,
  })
})
