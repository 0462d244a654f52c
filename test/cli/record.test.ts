import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import {
  call,
  entriesIn,
  json,
  listening,
  naive,
  realService,
  recording,
} from '../support/calibration/recorder.ts'
import { runScript } from '../support/project.ts'
import { folder } from '../support/start.ts'
import { cli as inProcess, refused } from './inProcess.ts'
import { cli, launch, served, type RunOptions } from './proxysim.ts'

const { authorization } = new NaiveService()

async function record(target: string, options: RunOptions = {}, before: readonly string[] = []) {
  const output = join(folder(), 'new/real.har')
  const args = [...before, 'record', '--target', target, '--port', '0', '--output', output]
  const launched = launch(args, options)
  return { url: await served(launched), output, launched, entries: () => entriesIn(output) }
}

it('no exchange with a complete response is lost if the recorder is killed', async () => {
  const { url, launched, entries } = await record(await realService(naive(new NaiveService())))
  for (let i = 1; i <= 5; i++) {
    await call(url, '/api/clients', { headers: { authorization } })
    expect(entries()).toHaveLength(i)
  }
  launched.child.kill('SIGKILL')
  await launched.ended
  expect(entries()).toHaveLength(5)
})

it('goes on if the disk is full: the file stays valid, and missing exchanges are reported', async () => {
  const program = ['sh', '-c', 'ulimit -f 4; exec "$@"', 'sh']
  const { url, launched, entries } = await record(await realService(json(200, '[{"id":7}]')), { program }, [
    process.execPath,
    cli,
  ])
  for (let i = 0; i < 12; i++) expect(await call(url, '/api/clients')).toMatchObject({ status: 200 })
  launched.child.kill('SIGTERM')
  const { stdout, stderr, code } = await launched.ended
  const kept = entries().length
  expect(kept).toBeGreaterThan(0)
  expect(stderr).toMatch(/\(EFBIG\)\n/)
  expect(stderr).toContain(`${12 - kept} exchanges could not be recorded`)
  const lines = [/^#\d+ /gm, /^not recorded: /gm].map((line) => stdout.match(line)?.length)
  expect([code, ...lines]).toEqual([1, kept, 12 - kept])
})

it('keeps an exchange that was in progress when it was stopped, and says so', async () => {
  const stopped: Promise<void>[] = []
  const one = await recording(await realService(() => stopped.push(one.close())))
  await expect(one.call('/api/product/1', { method: 'POST', body: '{}' })).rejects.toThrow('socket hang up')
  await stopped[0]
  const why = 'the recorder was stopped before the response was complete'
  expect(one.failures).toEqual([why])
  expect(one.entries()).toMatchObject([{ response: { status: 0 }, _error: why }])
})

it('records through a link to a file that does not exist yet', async () => {
  const [file, output] = [join(folder(), 'new/target.har'), join(folder(), 'link.har')]
  symlinkSync(file, output)
  const launched = launch(['record', '--target', 'http://127.0.0.1:9', '--port', '0', '--output', output])
  await served(launched)
  expect(entriesIn(file)).toEqual([])
})

it('reports invalid flags and targets in one line', async () => {
  const made = folder()
  const [mine, free] = [join(made, 'there.har'), join(made, 'free.har')]
  writeFileSync(mine, 'mine')
  const taken = new URL(await listening(createServer())).port
  const target = ['--target', 'http://127.0.0.1:9']
  for (const [flags, reason] of [
    [[...target, '--output', mine, '--port', '0'], 'already exists'],
    [[...target, '--output', free, '--port', taken], 'is taken'],
    [[...target, '--output', join(mine, 'where.har'), '--port', '0'], "can't be written (ENOTDIR)."],
    [[...target, '--output', free, '--port', '9'], "is the recorder's own address"],
    [['--target', 'http://0.0.0.0:9', '--output', free, '--port', '9'], "is the recorder's own address"],
    [['--target', 'http://[::]:9', '--output', free, '--port', '9'], "is the recorder's own address"],
    [['--target', 'nowhere', '--output', free], 'not an HTTP URL'],
    [['--target', 'https://me:secret@real.example', '--output', free], 'must not contain credentials'],
    [['--target', 'https://real.example/a?key=1', '--output', free], 'must not contain a query'],
    [['--output', free], '--target'],
    [target, '--output'],
  ] as const)
    expect(await inProcess(['record', ...flags])).toEqual(refused(reason))
  expect(existsSync(free)).toBe(false)
  expect(readFileSync(mine, 'utf8')).toBe('mine')
})

/** Runs a probe script against a service, through the recorder. @returns the calibration of the recording */
async function probed(service: NaiveService, script: string, env: Record<string, string>) {
  const { url, output, launched } = await record(await realService(naive(service)))
  const account = { PROXYSIM_URL: url, PROXYSIM_LOGIN: service.login, PROXYSIM_PASSWORD: service.password }
  const { code, output: printed } = await runScript(script, folder(), { ...account, ...env }, ['sh'])
  expect(code, printed).toBe(0)
  launched.child.kill('SIGTERM')
  await launched.ended
  const { stdout } = await inProcess(['calibrate', '--json', output])
  return JSON.parse(stdout) as {
    assumptions: { id: string; interpretation: unknown }[]
    behaviour: { differ: number }
    violations: unknown[]
  }
}

it('probe prints a script that decides all decidable assumptions when run through record', {
  timeout: 120_000,
}, async () => {
  const service = new NaiveService({
    productSort: 'desc',
    orderedService: 'Pending',
    orderedInvoice: 'Unpaid',
    updateResult: 'all',
    updateListInterval: 900,
    stickyAuth: 'open',
    ipListJson: 'objects',
    rebindOwn: 'refused',
  })
  const { stdout } = await inProcess(['probe'])
  const labels = [...stdout.matchAll(/^# (reads|changes state|costs money): settles /gm)].map(
    ([, one]) => one,
  )
  const order = ['reads', 'changes state', 'costs money']
  expect(labels).toEqual(labels.toSorted((a = '', b = '') => order.indexOf(a) - order.indexOf(b)))
  const found = await probed(service, stdout, { HIDDEN: '13' })
  const known = found.assumptions.filter(({ id }) => id in service.interpretations)
  expect(Object.fromEntries(known.map(({ id, interpretation }) => [id, interpretation]))).toEqual(
    service.interpretations,
  )
  expect([found.behaviour.differ, found.violations]).toEqual([0, []])
  // After that, none of these are needed any more.
  const file = join(folder(), 'found.json')
  writeFileSync(file, JSON.stringify(found))
  const rest = await inProcess(['probe', '--after', file])
  expect(rest.stdout).not.toMatch(/settles .*(?:productSort|orderedService|geo|rebindOwn)|costs money/)
  writeFileSync(file, '[]')
  expect(await inProcess(['probe', '--after', file])).toEqual(refused('is not the output of'))
})

it('probe decides a single assumption, and can run without the id that it needs', async () => {
  const service = new NaiveService({ hiddenProducts: 'listed' })
  const file = join(folder(), 'found.json')
  writeFileSync(file, JSON.stringify({ assumptions: [{ id: 'hiddenProducts', verdict: 'undecided' }] }))
  const { stdout } = await inProcess(['probe', '--after', file])
  const { assumptions } = await probed(service, stdout, { HIDDEN: '13' })
  expect(assumptions.find(({ id }) => id === 'hiddenProducts')).toMatchObject({ interpretation: 'listed' })
  await probed(service, stdout, {})
})
