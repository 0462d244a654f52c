import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, runScript, createProject } from '../support/project.ts'
import { start } from '../support/start.ts'

test('llms.txt leads to an order, a 429 and its reason', { timeout: 240_000 }, async () => {
  const sim = await start()
  // The first two lines start a simulator.
  const [, , ...lines] = parseCodeBlocks(read('llms.txt'))[0]?.text.split('\n') ?? []
  const script = lines.join('\n').replaceAll('http://127.0.0.1:4010', sim.url)
  const { code, stdout, output: all } = await runScript(script, createProject(), { PROXYSIM_URL: sim.url })
  expect(code, all).toBe(0)
  expect([...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    '200',
    '200',
    '429',
    '200',
  ])
  const { json } = await sim.call<{ requests: { reason: string }[] }>('GET', '/__admin/requests')
  expect(stdout).toContain(`sim-reason: ${json.requests[1]?.reason}`)
})

test('the page on CI shows inputs that the action has', () => {
  const block = parseCodeBlocks(read('docs/ci.md')).find(({ language }) => language === 'yaml')
  const { steps } = parse(block?.text ?? '') as { steps: { uses?: string; with?: object }[] }
  const { inputs } = parse(read('action.yml')) as { inputs: object }
  const shown = steps.find(({ uses }) => uses === './proxysim')
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(shown?.with ?? { none: 1 })))
})
