import { expect, test } from 'vitest'
import type { Effect } from '../../src/lab/runs/ClientChanges.ts'
import { addsMore, compareEffects, findUsual } from '../../src/lab/runs/usualEffects.ts'

/** `+service product=101 ip=a`: a new service. `5001 ip=a`: a change of service 5001. */
function parseEffects(text: string): Effect[] {
  return text
    .split(';')
    .filter(Boolean)
    .map((line) => {
      const [subject = '', ...fields] = line.trim().split(' ')
      const isNew = subject.startsWith('+')
      return {
        subject: isNew ? `me: new ${subject.slice(1)}` : `me: service ${subject}`,
        isNew,
        fields: fields.map((field) => field.split('=') as [string, string]),
      }
    })
}

/** `missing -added`, by the fields that changed */
function shown(effects: readonly Effect[]): string[] {
  return effects.map(({ subject, fields }) =>
    [subject.replace('me: ', ''), ...fields.map((field) => field.join('='))].join(' '),
  )
}

const any = 'differs per run'

test.each<[what: string, first: string, second: string, run: string, missing: string[], added: string[]]>([
  ['the same', '+service ip=a; 5001 ip=b', '', '5001 ip=b; +service ip=a', [], []],
  [
    'one field',
    '5001 ip=a password=x',
    '',
    '5001 ip=c password=x',
    ['service 5001 ip=a'],
    ['service 5001 ip=c'],
  ],
  ['a random value', '5001 ip=a', '5001 ip=b', '5001 ip=c', [], []],
  ['a random value that was not set', '5001 ip=a', '5001 ip=b', '', [`service 5001 ip=${any}`], []],
  ['a random record', '5001 ip=a', '5002 ip=a', '5003 ip=a', [], []],
  ['a random record that was not changed', '5001 ip=a', '5002 ip=a', '', ['some service ip=a'], []],
  [
    'a random record with a wrong value',
    '5001 ip=a',
    '5002 ip=a',
    '5003 ip=b',
    ['some service ip=a'],
    ['service 5003 ip=b'],
  ],
  ['two random records', '5001 ip=a; 5002 ip=b', '5003 ip=a; 5001 ip=b', '5004 ip=b; 5005 ip=a', [], []],
  [
    'a random value beside a fixed one',
    '+service p=1 ip=a; +service p=2 ip=f',
    '+service p=1 ip=b; +service p=2 ip=f',
    '+service p=2 ip=f; +service p=1 ip=c',
    [],
    [],
  ],
  [
    'a wrong value beside a random one',
    '+service p=1 ip=a; +service p=2 ip=f',
    '+service p=1 ip=b; +service p=2 ip=f',
    '+service p=2 ip=g; +service p=1 ip=c',
    ['new service p=2 ip=f'],
    ['new service p=2 ip=g'],
  ],
  [
    'a random value equal to a fixed one',
    '+service p=1 c=f; +service p=2 c=f',
    '+service p=1 c=b; +service p=2 c=f',
    '+service p=2 c=f; +service p=1 c=c',
    [],
    [],
  ],
  ['a field that only some runs set', '+service p=1 ip=a', '+service p=1', '+service p=1 ip=z', [], []],
  [
    'a random number of records',
    '+service p=1',
    '+service p=1; +service p=1',
    '+service p=1; +service p=1; +service p=1',
    [],
    [],
  ],
  [
    'another record where their number is random',
    '+service p=1 c=a',
    '+service p=1 c=b; +service p=1 c=d',
    '+service p=1 c=e; +service p=2 c=f',
    [],
    ['new service p=2 c=f'],
  ],
  ['a change that only some runs make', '', '5001 ip=a', '5002 ip=b', [], []],
  ['one of two changes', '5001 ip=a', '5002 password=x', '5003 ip=b', [], []],
  ['none of two changes', '5001 ip=a', '5002 password=x', '', ['service 5001 ip=a'], []],
  ['fewer records than any run', '+service p=1', '+service p=1; +service p=1', '', ['new service p=1'], []],
])('%s is compared', (_, first, second, run, missing, added) => {
  const usual = findUsual(parseEffects(first), parseEffects(second || first))
  const found = compareEffects(parseEffects(run), usual)
  expect([shown(found.missing), shown(found.added)]).toEqual([missing, added])
  for (const text of [first, second || first])
    expect(compareEffects(parseEffects(text), usual)).toEqual({ missing: [], added: [] })
})

test.each<[run: string, isMore: boolean]>([
  ['+service p=1 ip=a', false],
  ['+service p=1', false],
  ['+service p=2 ip=a', true],
  ['+service p=1 ip=a; +service p=1', true],
  ['5001 ip=a', false],
])('whether %s adds more than +service p=1 ip=a: %s', (run, isMore) => {
  const usual = findUsual(parseEffects('+service p=1 ip=a'))
  expect(addsMore(compareEffects(parseEffects(run), usual))).toBe(isMore)
})

test('differences between two runs are listed once per record and field', () => {
  const { unstable, additions } = findUsual(
    parseEffects('5001 ip=a password=x; +service p=1 ip=a; +invoice a=1'),
    parseEffects('5002 ip=a; 5001 password=y; +service p=1 ip=b; +invoice a=1; +invoice a=1'),
  )
  expect(unstable.toSorted()).toEqual([
    'me: new invoice',
    'me: new service ip',
    'me: service 5001 ip',
    'me: service 5001 password',
    'me: service 5002 ip',
  ])
  expect(additions).toBe(3)
})
