import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Calibration } from '../../src/lab/calibration/Calibration.ts'
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
import { root, runScript } from '../support/project.ts'
import { createFolder } from '../support/start.ts'
import { cli as inProcess, usageError } from './inProcess.ts'
import { cli as builtCli, launch, waitForUrl, type RunOptions } from './proxysim.ts'

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

/** Runs examples/probe.sh against a service, through the recorder. @returns the recording */
async function runProbe(service: NaiveService, ids = '', env: Record<string, string> = {}) {
  const { url, output, close, entries } = await startRecording(await startRealService(serveNaive(service)))
  const account = { PROXYSIM_URL: url, PROXYSIM_LOGIN: service.login, PROXYSIM_PASSWORD: service.password }
  const script = `sh '${root}/examples/probe.sh' ${ids}`
  const { code, output: printed } = await runScript(script, createFolder(), { ...account, ...env })
  expect(code, printed).toBe(0)
  await close()
  return { output, printed, entries: entries() }
}

async function calibrate(...files: string[]) {
  const { stdout } = await inProcess(['calibrate', '--json', ...files])
  return JSON.parse(stdout) as Pick<Calibration, 'assumptions' | 'behaviour' | 'violations'>
}

it('probe.sh makes the calls that settle what calibrate leaves undecided', { timeout: 240_000 }, async () => {
  const interpretations: Partial<NaiveInterpretations> = {
    productSort: 'desc',
    orderedService: 'Pending',
    orderedInvoice: 'Unpaid',
    updateResult: 'all',
    updateListInterval: 900,
    ipListJson: 'objects',
    rebindOwn: 'refused',
  }
  const service = new NaiveService(interpretations, Date.now()) // its sessions are alive
  const isKnown = ({ id }: { id: string }): boolean => id in service.interpretations
  const reads = await runProbe(service, '', { HIDDEN: '13' })
  expect(reads.entries.filter(({ request }) => request.method !== 'GET')).toEqual([])
  const { assumptions } = await calibrate(reads.output)
  const undecided = assumptions.filter((one) => isKnown(one) && one.verdict === 'undecided')
  const rest = await runProbe(service, undecided.map(({ id }) => id).join(' '))
  expect(rest.printed).toContain('# costs money: settles orderedService orderedInvoice')
  expect(rest.printed).not.toContain('settles productSort')
  const found = await calibrate(reads.output, rest.output)
  expect(
    Object.fromEntries(found.assumptions.filter(isKnown).map((one) => [one.id, one.interpretation])),
  ).toEqual(service.interpretations)
  expect([found.behaviour.differ, found.violations]).toEqual([0, []])
})
