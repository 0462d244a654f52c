import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { docs, toBeRun } from '../docs/pages.ts'
import { runPages } from '../docs/runPages.ts'
import { root, runScript, userProject } from '../support/project.ts'

runPages(docs)

test('every program in TypeScript compiles in strict mode', { timeout: 60_000 }, async () => {
  const cwd = userProject(['vitest', '@types'])
  const programs = docs.flatMap((page) => toBeRun(page, 'ts').map((block) => ({ page, ...block })))
  expect(programs.length).toBeGreaterThan(1)
  for (const { page, line, text } of programs)
    writeFileSync(join(cwd, `${basename(page, '.md')}-${line}.mts`), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
  }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
  const { code, output } = await runScript(`"${root}node_modules/.bin/tsc" -p .`, cwd)
  expect(code, output).toBe(0)
})
