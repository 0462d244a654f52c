import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { getBlocks, docs, listRunnableBlocks } from '../docs/pages.ts'
import { runPages } from './runPages.ts'
import { root, runScript, createProject } from '../support/project.ts'

runPages(['README.md', ...docs])

/** The examples of the library reference, each in its own function. */
function libraryExamples(): string {
  const examples = getBlocks('docs/library.md').filter(({ notRun }) => notRun?.includes('pages.test.ts'))
  expect(examples.length).toBeGreaterThan(30)
  const functions = examples.map(
    ({ text }, index) => `export const example${index} = async () => {\n${text}}`,
  )
  return `import { writeFile } from 'node:fs/promises'
import { connectSimulator, openSimulator, startSimulator, type Account, type StartedSimulator } from 'proxysim'
import { afterAll, expect } from 'vitest'
declare const sim: StartedSimulator
declare const account: Account
declare const createClient: (options: object) => unknown
void [writeFile, connectSimulator, openSimulator, startSimulator, afterAll, expect, sim, account, createClient]
${functions.join('\n')}
`
}

test('every program in TypeScript compiles in strict mode', { timeout: 240_000 }, async () => {
  const cwd = createProject(['vitest', '@types'])
  const programs = docs.flatMap((page) => listRunnableBlocks(page, 'ts').map((block) => ({ page, ...block })))
  expect(programs.length).toBeGreaterThan(1)
  for (const { page, line, text } of programs)
    writeFileSync(join(cwd, `${basename(page, '.md')}-${line}.mts`), text)
  writeFileSync(join(cwd, 'library.mts'), libraryExamples())
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
