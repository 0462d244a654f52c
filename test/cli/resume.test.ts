import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/start.ts'
import { launch, proxysim, refusal, served, type Launched } from './proxysim.ts'

const headers = { authorization: `Basic ${btoa('reseller:secret')}`, 'content-type': 'application/json' }

async function order(url: string): Promise<void> {
  const options = { method: 'POST', headers, body: '{"clientid":11}' }
  expect((await fetch(`${url}/api/product/101`, options)).status).toBe(200)
}

/** Starts, does something, and stops. @returns the line on the state */
async function run(
  cwd: string,
  args: string[],
  act: (url: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const running: Launched = launch(['--port', '0', ...args], { cwd })
  const [, line = ''] = await running.printed(/state +(.*)\n/)
  await act(await served(running))
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  return line
}

test('a start that resumes a state says so, and how to start over', async () => {
  const cwd = folder()
  expect(await run(cwd, [])).toBe('data/db.json')
  const after = (what: string): string =>
    `resumed from data/db.json (default, ${what}); --scenario default starts afresh`
  expect(await run(cwd, [], order)).toBe(after('unchanged'))
  const addAccount = (url: string): Promise<unknown> =>
    fetch(`${url}/__admin/accounts`, { method: 'POST', headers, body: '{"scenario":"default"}' })
  expect(await run(cwd, [], addAccount)).toBe(after('1 service more, 1 invoice more'))
  expect(await run(cwd, [])).toBe(after('1 account more, 1 service more, 1 invoice more'))
})

test('a scenario that replaces the state in a file says so, and backs it up', async () => {
  const cwd = folder()
  await run(cwd, [], order)
  const patch = (url: string): Promise<unknown> =>
    fetch(`${url}/__admin/accounts/reseller`, { method: 'PATCH', headers, body: '{"credit":5}' })
  const kept = 'data/db.json; the state it held (default) is kept in data/db.json.bak'
  expect(await run(cwd, ['--scenario', 'low-funds'])).toBe(kept)
  expect(await run(cwd, ['--scenario', 'low-funds'], patch), 'nothing is lost: the backup stays').toBe(
    'data/db.json',
  )
  expect(await run(cwd, ['--db', 'data/db.json.bak'])).toBe(
    'resumed from data/db.json.bak (default, 1 service more, 1 invoice more); --scenario default starts afresh',
  )
  expect(await run(cwd, ['--scenario', 'low-funds'])).toContain('(low-funds) is kept in data/db.json.bak')
})

test('a start that fails because the port is taken leaves the state as it was', async () => {
  const cwd = folder()
  await run(cwd, [], order)
  const file = join(cwd, 'data/db.json')
  const before = readFileSync(file)
  const { port } = new URL(await served(launch(['--port', '0', '--in-memory'])))
  expect(await proxysim(['--scenario', 'low-funds', '--port', port], { cwd })).toMatchObject(
    refusal(`Port ${port} of 127.0.0.1 is taken.`),
  )
  expect(readFileSync(file)).toEqual(before)
  expect(existsSync(`${file}.bak`)).toBe(false)
})

test('nothing is kept in memory mode', async () => {
  const cwd = folder()
  expect(await run(cwd, ['--in-memory', '--scenario', 'low-funds'])).toBe('in memory, gone when it stops')
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})
