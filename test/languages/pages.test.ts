import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { proxysimProgram } from '../ci/projectWithTests.ts'
import { runScript } from '../ci/runScript.ts'
import { folder, start } from '../support/start.ts'
import { codeBlocks } from '../docs/codeBlocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
test('the commands for agents print the fields that the page names', { timeout: 120_000 }, async () => {
  const sim = await start()
  const cwd = folder()
  writeFileSync(join(cwd, 'proxysim'), proxysimProgram)
  chmodSync(join(cwd, 'proxysim'), 0o755)
  writeFileSync(join(cwd, 'mine.yaml'), 'description: Mine.\nextends: default\n')
  const blocks = codeBlocks(read('docs/agents.md'))
  const lines = blocks
    .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
    .flatMap(({ text }) => text.trim().split('\n'))
  expect(lines.filter((line) => line.includes(' --json # '))).toHaveLength(10)
  const refusal =
    blocks
      .find(({ language }) => language === 'http')
      ?.text.trim()
      .split('\n') ?? []
  expect(refusal).toHaveLength(2)

  // So that the refused request is not the first one
  await sim.call('GET', '/api/clients')
  let id = ''
  for (const line of lines) {
    const [command = '', fields] = line.split(' # ')
    const script = command
      .replace(' ID ', ` ${id} `)
      .replace(/^proxysim/, './proxysim')
      .replace(/^curl/, "curl --noproxy '*'")
      .replace('http://127.0.0.1:4010', sim.url)
    const { code, output } = await runScript(script, { cwd, env: { PROXYSIM_URL: sim.url } })
    expect(code, `${line}\n${output}`).toBe(0)
    if (command.includes(' requests '))
      id = String((JSON.parse(output) as { requests: { id: number }[] }).requests[0]?.id)
    const missing =
      fields === undefined
        ? refusal.filter((header) => !output.includes(header))
        : fields.split(', ').filter((field) => !fieldsOf(output).includes(field))
    expect(missing, line).toEqual([])
  }
})

/** The fields of printed JSON, or of its first record if it is a list. */
function fieldsOf(output: string): string[] {
  const printed = JSON.parse(output) as object | object[]
  return Object.keys((Array.isArray(printed) ? printed[0] : printed) ?? {})
}

test('llms.txt leads to an order, a 429 and its reason', { timeout: 60_000 }, async () => {
  const sim = await start()
  const cwd = folder()
  writeFileSync(join(cwd, 'proxysim'), proxysimProgram)
  chmodSync(join(cwd, 'proxysim'), 0o755)
  const [, , ...lines] = codeBlocks(read('llms.txt'))[0]?.text.split('\n') ?? []
  const script = lines
    .join('\n')
    .replaceAll(/^proxysim/gm, './proxysim')
    .replaceAll('curl ', "curl --noproxy '*' ")
    .replaceAll('http://127.0.0.1:4010', sim.url)
  const { code, output } = await runScript(script, { cwd, env: { PROXYSIM_URL: sim.url } })
  expect(code, output).toBe(0)
  expect([...output.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    '200',
    '200',
    '429',
    '200',
  ])
  const { json } = await sim.call<{ requests: { reason: string }[] }>('GET', '/__admin/requests')
  expect(output).toContain(`sim-reason: ${json.requests[1]?.reason}`)
})

test('the page on CI shows inputs that the action has', () => {
  const block = codeBlocks(read('docs/ci.md')).find(({ language }) => language === 'yaml')
  const { steps } = parse(block?.text ?? '') as { steps: { uses?: string; with?: object }[] }
  const { inputs } = parse(read('action.yml')) as { inputs: object }
  const shown = steps.find(({ uses }) => uses === './proxysim')
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(shown?.with ?? { none: 1 })))
})
