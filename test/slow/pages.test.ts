import { symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { docs, root, toBeRun } from '../docs/pages.ts'
import { runPages } from '../docs/runPages.ts'
import { runCommands } from '../docs/userProject.ts'
import { folder } from '../support/start.ts'

runPages(docs)

test('every program in TypeScript compiles in strict mode', { timeout: 60_000 }, async () => {
  const cwd = folder()
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
  const programs = docs.flatMap((page) => toBeRun(page, 'ts').map((block) => ({ page, ...block })))
  expect(programs.length).toBeGreaterThan(1)
  for (const { page, line, text } of programs)
    writeFileSync(join(cwd, `${basename(page, '.md')}-${line}.ts`), text)
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    paths: { proxysim: [join(root, 'dist/index.d.ts')] },
  }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const { code, output } = await runCommands(`"${process.execPath}" node_modules/.bin/tsc -p .`, cwd)
  expect(code, output).toBe(0)
})
