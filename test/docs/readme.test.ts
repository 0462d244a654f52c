import { expect, test } from 'vitest'
import { read } from '../support/project.ts'
import { start } from '../support/start.ts'
import { getBlocks } from './pages.ts'

const [refusal = '', problem = ''] = getBlocks('README.md')
  .filter(({ text }) => text.startsWith('$ '))
  .map(({ text }) => text)

test('the README begins with what the simulator says to a refused order', async () => {
  const { call } = await start()
  const { headers, text } = await call('POST', '/api/product/104', { body: { clientid: 11 } })
  expect(refusal).toContain(`\nsim-reason: ${String(headers['sim-reason'])}\n${text}\n`)
})

test('the README shows a part of the sweep that docs/sweep.md runs', () => {
  const page = read('docs/sweep.md')
  const lines = problem.replace('$ ', '').split('\n')
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.filter((line) => !page.includes(line.split(/,? …/)[0] ?? ''))).toEqual([])
})
