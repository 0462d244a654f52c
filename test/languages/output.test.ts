import { expect, test } from 'vitest'
import { excerpt } from '../../src/lab/runs/Output.ts'
import { runCommand, Signals } from '../../src/lab/runs/runCommand.ts'

const run = (script: string) =>
  Signals.run((signals) => runCommand(['sh', '-c', script], { signals, stdout: 'captured', env: {} }))

test('shows the last 15 lines that a command printed, without colours', async () => {
  const { printed } = await run(
    `for i in $(seq 40); do printf '\\033[31mline %s\\033[0m\\n' $i; done; exit 3`,
  )
  expect(excerpt(printed)).toEqual(Array.from({ length: 15 }, (_, i) => `line ${i + 26}`))
})

test('keeps the last megabyte of a command that prints 600 MB', { timeout: 240_000 }, async () => {
  const { exitCode, printed } = await run(`yes 'a line' | head -c 600000000; echo; echo 'the end'`)
  expect([exitCode, printed.length]).toEqual([0, 1024 * 1024])
  expect(excerpt(printed).at(-1)).toBe('the end')
})
