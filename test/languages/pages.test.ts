import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, runScript, createProject } from '../support/project.ts'
import { start } from '../support/start.ts'

/** Starts a simulator, and runs the commands of a page as a user would. */
async function reader() {
  const sim = await start()
  const cwd = createProject()
  writeFileSync(join(cwd, 'mine.yaml'), 'description: Mine.\nextends: default\n')
  return {
    sim,
    run: async (script: string) => {
      const own = script.replaceAll('http://127.0.0.1:4010', sim.url)
      const { code, stdout, output } = await runScript(own, cwd, { PROXYSIM_URL: sim.url })
      expect(code, `${script}\n${output}`).toBe(0)
      return stdout
    },
  }
}

test('the commands for agents print the fields that the page names', { timeout: 240_000 }, async () => {
  const { sim, run } = await reader()
  const blocks = parseCodeBlocks(read('docs/agents.md'))
  const lines = blocks
    .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
    .flatMap(({ text }) => text.trim().split('\n'))
  expect(lines.filter((line) => line.includes(' --json # '))).toHaveLength(10)
  const [refusal = []] = blocks.flatMap(({ language, text }) =>
    language === 'http' ? [text.trim().split('\n')] : [],
  )
  expect(refusal).toHaveLength(2)

  // Otherwise, the refused request would be the first one.
  await sim.call('GET', '/api/clients')
  let id = ''
  for (const line of lines) {
    const [command = '', fields] = line.split(' # ')
    const output = await run(command.replace(' ID ', ` ${id} `))
    if (command.includes(' requests '))
      id = String((JSON.parse(output) as { requests: { id: number }[] }).requests[0]?.id)
    const missing =
      fields === undefined
        ? refusal.filter((header) => !output.includes(header))
        : fields.split(', ').filter((field) => !listFields(output).includes(field))
    expect(missing, line).toEqual([])
  }
})

/** Lists the fields of printed JSON, or of its first record if it is a list. */
function listFields(output: string): string[] {
  const printed = JSON.parse(output) as object | object[]
  return Object.keys((Array.isArray(printed) ? printed[0] : printed) ?? {})
}

test('llms.txt leads to an order, a 429 and its reason', { timeout: 240_000 }, async () => {
  const { sim, run } = await reader()
  const [, , ...lines] = parseCodeBlocks(read('llms.txt'))[0]?.text.split('\n') ?? []
  const output = await run(lines.join('\n'))
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
  const block = parseCodeBlocks(read('docs/ci.md')).find(({ language }) => language === 'yaml')
  const { steps } = parse(block?.text ?? '') as { steps: { uses?: string; with?: object }[] }
  const { inputs } = parse(read('action.yml')) as { inputs: object }
  const shown = steps.find(({ uses }) => uses === './proxysim')
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(shown?.with ?? { none: 1 })))
})
