import { writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, root, runScript, createProject } from '../support/project.ts'
import { start } from '../support/start.ts'

/** Matches the output of a generator on success, and npm's warnings, which depend on the machine */
const usual = /^$|^(npm |✨ openapi-typescript |🚀 )/

test('the page’s client is generated, compiles and works, without a warning', {
  timeout: 240_000,
}, async () => {
  const sim = await start()
  const cwd = createProject(['openapi-fetch', 'openapi-typescript', 'tsx', '@types'])
  const run = async (script: string) => {
    const { code, output } = await runScript(script, cwd, { PROXYSIM_URL: sim.url })
    expect(code, `${script}\n${output}`).toBe(0)
    return stripVTControlCharacters(output)
  }
  const blocks = parseCodeBlocks(read('docs/extend.md')).filter(({ notRun }) =>
    notRun?.includes('generatedClients'),
  )
  const findText = (wanted: string) => blocks.find(({ language }) => language === wanted)?.text ?? ''
  const made = await run(findText('sh').replace('http://127.0.0.1:4010', sim.url))
  expect(made.split('\n').filter((line) => !usual.test(line))).toEqual([])
  const ids = read('admin.openapi.yaml').match(/(?<=^ +operationId: )\w+$/gm) ?? []
  const types = readFileSync(join(cwd, 'admin.d.ts'), 'utf8')
  expect(ids.length).toBeGreaterThan(20)
  expect(ids.filter((id) => !types.includes(id))).toEqual([])

  writeFileSync(join(cwd, 'main.mts'), findText('ts'))
  const flags =
    '--strict --noEmit --target es2023 --module nodenext --types node --allowImportingTsExtensions'
  await run(`"${root}node_modules/.bin/tsc" ${flags} main.mts`)
  const [login = ''] = /^acct_\w+(?=: 0 requests$)/m.exec(await run('tsx main.mts')) ?? []
  const { json: faults } = await sim.call<unknown[]>('GET', `/__admin/faults?account=${login}`)
  expect(faults).toMatchObject([{ operation: 'getCredit', drop: 'reset', times: 1 }])
})
