import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NaiveService, type NaiveInterpretations } from '../support/calibration/NaiveService.ts'
import {
  call,
  readEntries,
  respondWithJson,
  listen,
  serveNaive,
  startRealService,
  startRecording,
} from '../support/calibration/recorder.ts'
import { runScript } from '../support/project.ts'
import { createFolder } from '../support/start.ts'
import { cli as inProcess, usageError } from './inProcess.ts'
import { cli as builtCli, launch, proxysim, waitForUrl, type RunOptions } from './proxysim.ts'

const { authorization } = new NaiveService()

async function record(target: string, options: RunOptions = {}, before: readonly string[] = []) {
  const output = join(createFolder(), 'new/real.har')
  const args = [...before, 'record', '--target', target, '--port', '0', '--output', output]
  const launched = launch(args, options)
  return { url: await waitForUrl(launched), output, launched, entries: () => readEntries(output) }
}

it('no exchange with a complete response is lost if the recorder is killed', async () => {
  const { url, launched, entries } = await record(await startRealService(serveNaive(new NaiveService())))
  for (let i = 1; i <= 5; i++) {
    await call(url, '/api/clients', { headers: { authorization } })
    expect(entries()).toHaveLength(i)
  }
  launched.child.kill('SIGKILL')
  await launched.ended
  expect(entries()).toHaveLength(5)
})

it('continues if the disk is full: the file stays valid, and missing exchanges are reported', async () => {
  const program = ['sh', '-c', 'ulimit -f 4; exec "$@"', 'sh']
  const { url, launched, entries } = await record(
    await startRealService(respondWithJson(200, '[{"id":7}]')),
    { program },
    [process.execPath, builtCli],
  )
  for (let i = 0; i < 12; i++) expect(await call(url, '/api/clients')).toMatchObject({ status: 200 })
  launched.child.kill('SIGTERM')
  const { stdout, stderr, code } = await launched.ended
  const entryCount = entries().length
  expect(entryCount).toBeGreaterThan(0)
  expect(stderr).toMatch(/\(EFBIG\)\n/)
  expect(stderr).toContain(`${12 - entryCount} exchanges could not be recorded`)
  const lines = [/^#\d+ /gm, /^not recorded: /gm].map((line) => stdout.match(line)?.length)
  expect([code, ...lines]).toEqual([1, entryCount, 12 - entryCount])
})

it('records an exchange that was in progress when it stopped, with the reason', async () => {
  const stopped: Promise<void>[] = []
  const one = await startRecording(await startRealService(() => stopped.push(one.close())))
  await expect(one.call('/api/product/1', { method: 'POST', body: '{}' })).rejects.toThrow('socket hang up')
  await stopped[0]
  const why = 'the recorder was stopped before the response was complete'
  expect(one.failures).toEqual([why])
  expect(one.entries()).toMatchObject([{ response: { status: 0 }, _error: why }])
})

it('records through a link to a file that does not exist yet', async () => {
  const [file, output] = [join(createFolder(), 'new/target.har'), join(createFolder(), 'link.har')]
  symlinkSync(file, output)
  const launched = launch(['record', '--target', 'http://127.0.0.1:9', '--port', '0', '--output', output])
  await waitForUrl(launched)
  expect(readEntries(file)).toEqual([])
})

it('leaves no archive if a full disk cannot take its beginning', async () => {
  const output = join(createFolder(), 'a.har')
  const program = ['sh', '-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, builtCli]
  const args = ['record', '--target', 'http://127.0.0.1:9', '--port', '0', '--output', output]
  expect(await proxysim(args, { program })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${output} can't be written (EFBIG).`) as string,
  })
  expect(existsSync(output)).toBe(false)
})

it('reports invalid flags and targets in one line', async () => {
  const folder = createFolder()
  const [mine, free] = [join(folder, 'there.har'), join(folder, 'free.har')]
  writeFileSync(mine, 'mine')
  const taken = new URL(await listen(createServer())).port
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
    expect(await inProcess(['record', ...flags])).toEqual(usageError(reason))
  expect(existsSync(free)).toBe(false)
  expect(readFileSync(mine, 'utf8')).toBe('mine')
})

/** Runs a probe script against a service, through the recorder. @returns the calibration of the recording */
async function runProbe(service: NaiveService, script: string, env: Record<string, string>) {
  const { url, output, launched } = await record(await startRealService(serveNaive(service)))
  const account = { PROXYSIM_URL: url, PROXYSIM_LOGIN: service.login, PROXYSIM_PASSWORD: service.password }
  const { code, output: printed } = await runScript(script, createFolder(), { ...account, ...env }, ['sh'])
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
  timeout: 240_000,
}, async () => {
  const interpretations: Partial<NaiveInterpretations> = {
    productSort: 'desc',
    orderedService: 'Pending',
    orderedInvoice: 'Unpaid',
    updateResult: 'all',
    updateListInterval: 900,
    stickyAuth: 'open',
    ipListJson: 'objects',
    rebindOwn: 'refused',
  }
  const service = new NaiveService(interpretations, Date.now()) // its sessions are alive
  const { stdout } = await inProcess(['probe'])
  const labels = [...stdout.matchAll(/^# (reads|changes state|costs money): settles /gm)].map(
    ([, one]) => one,
  )
  const order = ['reads', 'changes state', 'costs money']
  expect(labels).toEqual(labels.toSorted((a = '', b = '') => order.indexOf(a) - order.indexOf(b)))
  const found = await runProbe(service, stdout, { HIDDEN: '13' })
  const known = found.assumptions.filter(({ id }) => id in service.interpretations)
  expect(Object.fromEntries(known.map(({ id, interpretation }) => [id, interpretation]))).toEqual(
    service.interpretations,
  )
  expect([found.behaviour.differ, found.violations]).toEqual([0, []])
  // After that, none of the calls are needed any more.
  const file = join(createFolder(), 'found.json')
  writeFileSync(file, JSON.stringify(found))
  const rest = await inProcess(['probe', '--after', file])
  expect(rest.stdout).not.toMatch(/settles .*(?:productSort|orderedService|geo|rebindOwn)|costs money/)
  writeFileSync(file, '[]')
  expect(await inProcess(['probe', '--after', file])).toEqual(usageError('is not the output of'))
})

it.each([
  [[]],
  [[null]],
  [[{ id: 'geo' }]],
  [[{ id: 'geo', verdict: 'green' }]],
  [[{ id: 'nosuch', verdict: 'undecided' }]],
])('probe refuses assumptions that calibrate does not print: %j', async (assumptions) => {
  const file = join(createFolder(), 'found.json')
  writeFileSync(file, JSON.stringify({ assumptions }))
  expect(await inProcess(['probe', '--after', file])).toEqual(usageError('is not the output of'))
})

it('probe says which assumptions no call settles, and why', async () => {
  const file = join(createFolder(), 'found.json')
  const reason = "can't be told apart while ipListLayout is addresses"
  const head = async (...assumptions: object[]) => {
    writeFileSync(file, JSON.stringify({ assumptions }))
    return (await inProcess(['probe', '--after', file])).stdout.split('\n').slice(1, 4)
  }
  const hidden = { id: 'ipListJson', verdict: 'undecided', needs: [{ reason }] }
  const contradicted = { id: 'geo', verdict: 'contradicts', needs: [] }
  const undecided = { id: 'productSort', verdict: 'undecided', needs: [{ call: 'GET /', effect: 'reads' }] }
  const note = `# Not settled: ipListJson (${reason})`
  expect(await head(hidden)).toEqual(['# No calls: no call settles the rest', note, expect.any(String)])
  expect(await head(hidden, undecided, contradicted)).toEqual([
    '# Calls that settle productSort',
    note,
    '# Not settled: geo (no interpretation reproduces the recording)',
  ])
  expect(await head({ ...hidden, verdict: 'holds' })).toContain('# No calls: all assumptions are settled')
  expect(await head({ ...hidden, needs: [{ reason: 'a\nrm -rf' }] })).toContain(
    '# Not settled: ipListJson (a rm -rf)',
  )
})

it('probe makes only the calls in `needs`, also those of another assumption', async () => {
  const file = join(createFolder(), 'found.json')
  const needs = [{ call: 'GET /api/sticky/list/{rotating}', effect: 'reads' }]
  const assumptions = [{ id: 'updateListInterval', verdict: 'undecided', needs }]
  writeFileSync(file, JSON.stringify({ assumptions }))
  const { stdout } = await inProcess(['probe', '--after', file])
  expect(stdout).toContain('# reads: settles updateListInterval.')
  expect(stdout).not.toContain('# changes state')
})

it('probe decides a single assumption, and its script also runs without the required id', async () => {
  const service = new NaiveService({ hiddenProducts: 'listed' })
  const file = join(createFolder(), 'found.json')
  writeFileSync(file, JSON.stringify({ assumptions: [{ id: 'hiddenProducts', verdict: 'undecided' }] }))
  const { stdout } = await inProcess(['probe', '--after', file])
  const { assumptions } = await runProbe(service, stdout, { HIDDEN: '13' })
  expect(assumptions.find(({ id }) => id === 'hiddenProducts')).toMatchObject({ interpretation: 'listed' })
  await runProbe(service, stdout, {})
})
