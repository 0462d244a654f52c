import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Effect } from '../../src/lab/runs/ClientChanges.ts'
import {
  addsMore,
  compareFacts,
  findUsual,
  hasMoreRecords,
  variesInNumber,
  type EndFacts,
} from '../../src/lab/runs/endState.ts'
import { readOtherFiles, readRunFiles } from '../../src/lab/runs/runFiles.ts'
import { createFolder } from '../support/start.ts'

/** `+service product=101 ip=a`: a new service. `5001 ip=a`: a change of service 5001. */
function parseFacts(text: string): EndFacts {
  const effects = text
    .split(';')
    .filter(Boolean)
    .map((line): Effect => {
      const [subject = '', ...fields] = line.trim().split(' ')
      const isNew = subject.startsWith('+')
      return {
        subject: isNew ? `me: new ${subject.slice(1)}` : `me: service ${subject}`,
        isNew,
        fields: fields.map((field) => field.split('=') as [string, string]),
      }
    })
  return { effects, files: [] }
}

const shown = (effects: readonly Effect[]): string[] =>
  effects.map(({ subject, fields }) =>
    [subject.replace('me: ', ''), ...fields.map((one) => one.join('='))].join(' '),
  )

test.each<[what: string, first: string, second: string, run: string, missing: string[], added: string[]]>([
  ['the same in another order', '+service ip=a; 5001 ip=b', '', '5001 ip=b; +service ip=a', [], []],
  ['one field', '5001 ip=a pw=x', '', '5001 ip=c pw=x', ['service 5001 ip=a'], ['service 5001 ip=c']],
  ['a missing record', '+service p=1; +service p=1', '', '+service p=1', ['new service p=1'], []],
  ['a random value', '5001 ip=a pw=x', '5001 ip=b pw=x', '5001 ip=c', ['service 5001 pw=x'], []],
  ['a random record', '5001 ip=a', '5002 ip=a', '5003 ip=a', [], []],
  ['a random value of a new record', '+service p=1 ip=a', '+service p=1 ip=b', '+service p=1 ip=c', [], []],
  [
    'another product beside a random value',
    '+service p=1 ip=a',
    '+service p=1 ip=b',
    '+service p=2',
    ['new service p=1'],
    ['new service p=2'],
  ],
  ['a random number of records', '+service p=1', '+service p=1; +service p=1', '', [], []],
])('%s', (_, first, second, run, missing, added) => {
  const usual = findUsual([parseFacts(first), ...(second === '' ? [] : [parseFacts(second)])])
  const found = compareFacts(parseFacts(run), usual)
  expect([shown(found.missing), shown(found.added)]).toEqual([missing, added])
})

test.each<[what: string, runs: string[], run: string, isMore: boolean]>([
  ['as many', ['+service p=1'], '+service p=1', false],
  ['one that lacks a later update', ['+service p=1 ip=a'], '+service p=1', false],
  ['one more', ['+service p=1'], '+service p=1; +service p=1', true],
  ['another in place of a missing one', ['+service p=1; +service p=2'], '+service p=1; +service p=1', true],
  [
    'as many as some run had',
    ['+service p=1', '+service p=1; +service p=1'],
    '+service p=1; +service p=1',
    false,
  ],
  [
    'more than any run had',
    ['+service p=1', '+service p=1; +service p=1'],
    '+service p=1; +service p=1; +service p=1',
    true,
  ],
])('adds more: %s', (_, runs, run, isMore) => {
  const usual = findUsual(runs.map(parseFacts) as [EndFacts, ...EndFacts[]])
  expect(addsMore(parseFacts(run), usual)).toBe(isMore)
  expect(hasMoreRecords(parseFacts('+service; +service; +service'), usual)).toBe(true)
  expect(variesInNumber(usual)).toBe(runs.length > 1)
})

test('what two runs left is the same only with the same names, folders and other contents', async () => {
  const read = async (...entries: string[]): Promise<string> => {
    const folder = createFolder()
    for (const [path = '', text] of entries.map((entry) => entry.split('=')))
      if (text === undefined) mkdirSync(join(folder, path))
      else writeFileSync(join(folder, path), text)
    return JSON.stringify(await readOtherFiles(folder, new Set(['5104'])))
  }
  const none = await read()
  for (const one of ['run.pid=1', 'run.lock=', 'run.log=', 'running', 'a.txt=', 'jobs.sqlite=\0'])
    expect([one, await read(one)]).not.toEqual([one, none])
  const same = await read('run.pid=1', 'run.log=a', 'a.txt=1', '5104.txt=')
  expect(await read('run.pid=2', 'run.log=b', 'a.txt=2', '5104.txt=')).toBe(same)
  expect(await read('jobs.sqlite=\0new')).not.toBe(await read('jobs.sqlite=\0done'))
  expect(await read('run.lock=new')).not.toBe(await read('run.lock=done'))
})

test('files count without ids, times, logs and binary content; only what is missing or changed is red', async () => {
  const read = (files: Record<string, string>, ids: string[]) => {
    const folder = createFolder()
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return readRunFiles(folder, new Set(ids))
  }
  const usual = findUsual([
    {
      effects: [],
      files: await read(
        {
          'state.json':
            '{"at":"2026-01-15T12:00:00.123Z","ms":1768478400123,"orders":[{"id":5104,"state":"done"},{"id":5105,"state":"done"}]}',
          'sub/5104.txt': 'ordered 5104 at 12:00:01\ndone\n',
          'run.log': 'started\n',
          'run.pid': '1',
          'bin.dat': 'a\0b',
        },
        ['5104', '5105'],
      ),
    },
  ])
  const missing = async (files: Record<string, string>) =>
    shown(compareFacts({ effects: [], files: await read(files, ['7001', '7002']) }, usual).missing)
  const same = {
    'state.json':
      '{"orders":[{"state":"done","id":"7002"},{"id":7001,"state":"done"}],"ms":1768478999,"at":"2026-02-15 12:00","note":"more"}',
    'sub/7001.txt': 'a warning\nordered 7001 at 09:00:59\ndone\n',
    'more.txt': 'x',
  }
  expect(await missing(same)).toEqual([])
  expect(await missing({ ...same, 'sub/7001.txt': 'ordered 7001 at 09:00:59\n' })).toEqual([
    'file sub/….txt line=done',
  ])
  expect(
    await missing({
      ...same,
      'state.json': '{"ms":1,"at":"2026-02-15","orders":[{"state":"done","id":7001}]}',
    }),
  ).toEqual(['file state.json ms=…', 'file state.json orders[].id=…', 'file state.json orders[].state=done'])
  expect(await missing({ ...same, 'state.json': same['state.json'].replace('7001', '7002') })).toEqual([
    'file state.json new record=2',
  ])
  // Each file has one id, so only all files together show that both have the same.
  const perOrder = (ids: readonly string[]) =>
    Object.fromEntries(ids.map((id, i) => [`order${i}.txt`, `service ${id}\n`]))
  const two = findUsual([{ effects: [], files: await read(perOrder(['5104', '5105']), ['5104', '5105']) }])
  for (const [ids, expected] of [
    [['7002', '7001'], []],
    [['7001', '7001'], ['file * new record=2']],
  ] as const) {
    const { missing: lost } = compareFacts(
      { effects: [], files: await read(perOrder(ids), ['7001', '7002']) },
      two,
    )
    expect(shown(lost)).toEqual(expected)
  }
  const { 'state.json': _, ...without } = same
  expect(await missing(without)).toContain('file state.json exists=yes')
})
