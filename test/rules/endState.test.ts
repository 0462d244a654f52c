import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Effect } from '../../src/lab/runs/ClientChanges.ts'
import {
  addsMore,
  compareFacts,
  findUsual,
  hasMoreRecords,
  listUncompared,
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
    ['new service p=1 ip=…'],
    ['new service p=2'],
  ],
  ['no change of a random record', '5001 ip=a', '5002 ip=a', '', ['service … ip=a'], []],
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

/** Files by name, with the ids that the service assigned in the run. */
type Files = Record<string, string>

async function readFiles(
  files: Files,
  ids: readonly string[],
  ignored?: readonly string[],
): Promise<EndFacts> {
  const folder = createFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return { effects: [], files: await readRunFiles(folder, new Set(ids), ignored) }
}

const json = JSON.stringify
const done = {
  'state.json': json({
    at: '2026-01-15T12:00:00.123Z',
    ms: 1768478400123,
    orders: [5104, 5105].map((id) => ({ id, state: 'done' })),
  }),
  'sub/5104.txt': 'ordered 5104 at 12:00:01\ndone\n',
}
const again = {
  'state.json': json({
    orders: [
      { state: 'done', id: '7002' },
      { id: 7001, state: 'done' },
    ],
    ms: 1768478999,
    at: '2026-02-15 12:00',
  }),
  'sub/7001.txt': 'ordered 7001 at 09:00:59\ndone\n',
}
const skipped = {
  'run.log': 'started\n',
  'run.pid': '1',
  'run.lock': '',
  'a.json.tmp': '{',
  'jobs.sqlite': '\0',
}
const keyed = (key: string, state: string): Files => ({
  'orders.json': json({ orders: { [key]: { state, id: key } } }),
})

test.each<[what: string, usual: Files[], run: Files, missing: string[], added: string[]]>([
  ['other ids and times in another order', [done], again, [], []],
  ['logs, locks and binary files', [{ ...done, ...skipped }], again, [], []],
  [
    'a missing line',
    [done],
    { ...again, 'sub/7001.txt': 'ordered 7001 at 9:00\n' },
    ['file sub/….txt line=done', 'file sub/….txt line=ordered … at …'],
    ['file sub/….txt line=ordered … at 9:00'],
  ],
  [
    'a line more',
    [{ 'ledger.csv': 'order;20\n' }],
    { 'ledger.csv': 'order;20\norder;20\n' },
    [],
    ['file ledger.csv line=order;20'],
  ],
  ['another line', [{ a: 'x\n' }], { a: 'y\n' }, ['file a line=x'], ['file a line=y']],
  ['a line of JSON more', [{ 'a.jsonl': '{}\n' }], { 'a.jsonl': '{}\n{}\n' }, [], ['file a.jsonl line={}']],
  [
    'one id in the place of two',
    [done],
    { ...again, 'state.json': again['state.json'].replace('7001', '7002') },
    ['file state.json different ids=2'],
    [],
  ],
  [
    'one id in two files',
    [{ a: '5104', b: '5105' }],
    { a: '7001', b: '7001' },
    ['file * different ids=2'],
    [],
  ],
  ['no file', [{ a: '' }], {}, ['file a exists=yes'], []],
  ['a file more', [{}], { 'b.csv': '' }, [], ['file b.csv exists=yes']],
  ['random lines', [{ a: 'h\nu1\nu2\n' }, { a: 'h\nu3\nu4\n' }], { a: 'h\nu5\nu6\n' }, [], []],
  [
    'no random lines',
    [{ a: 'h\nu1\nu2\n' }, { a: 'h\nu3\nu4\n' }],
    { a: 'h\n' },
    ['file a line=…', 'file a line=…'],
    [],
  ],
  [
    'no fixed line beside random ones',
    [{ a: 'h\nu1\n' }, { a: 'h\nu2\n' }],
    { a: 'u3\nu4\n' },
    ['file a line=h'],
    ['file a line=…'],
  ],
  ['a random number of lines', [{ a: 'h\nu1\n' }, { a: 'h\nu2\nu3\n' }], { a: 'h\n' }, [], []],
  ['random keys', [keyed('u1', 'done'), keyed('u2', 'done')], keyed('u3', 'done'), [], []],
  [
    'another value under a random key',
    [keyed('u1', 'done'), keyed('u2', 'done')],
    keyed('u3', 'new'),
    ['file orders.json …=done'],
    ['file orders.json …=…'],
  ],
  ['random names', [{ u1: 'x' }, { u2: 'x' }], { u3: 'x' }, [], []],
  [
    'one more random name',
    [{ u1: 'x' }, { u2: 'x' }],
    { u3: 'x', u4: 'x' },
    [],
    ['file … exists=yes', 'file … line=x'],
  ],
])('of files, %s', async (_, usual, run, missing, added) => {
  const runs = await Promise.all(usual.map((files) => readFiles(files, ['5104', '5105'])))
  const found = compareFacts(await readFiles(run, ['7001', '7002']), findUsual(runs as [EndFacts]))
  expect([shown(found.missing).toSorted(), shown(found.added)]).toEqual([missing.toSorted(), added])
})

test('files can be ignored by name or path, and those without judged content are listed', async () => {
  const files = {
    'attempts.jsonl': 'x',
    'log/a.txt': 'y',
    'jobs.sqlite': '\0',
    'u.txt': 'u1\n',
    'empty.txt': '',
    '5104.json': json({ done: 5104 }),
  }
  const ignored = ['*.jsonl', 'log/*']
  const read = (text: string) => readFiles({ ...files, 'u.txt': text }, ['5104'], ignored)
  const first = await read('u1\n')
  expect(first.files.map(({ subject }) => subject)).toEqual(
    ['….json', 'empty.txt', 'jobs.sqlite', 'u.txt', '*'].map((name) => `file ${name}`),
  )
  for (const text of ['u2\n', 'u2\nu3\n']) {
    const usual = findUsual([first, await read(text)])
    expect(listUncompared(usual)).toEqual(['jobs.sqlite', 'u.txt'])
    expect(usual.varying).toEqual(['file u.txt line'])
  }
})
