import { expect, test } from 'vitest'
import { junit } from '../../src/report/junit.ts'
import { markdown } from '../../src/report/markdown.ts'
import { nonEmptySections, type Report } from '../../src/report/Report.ts'
import { table, text } from '../../src/report/text.ts'
import { visible } from '../../src/report/visible.ts'

const report: Report = {
  title: 'A report',
  summary: '2 of 3.',
  sections: [
    { heading: 'One', head: ['A', 'B'], rows: [['a|b\\|\nc', { text: 'yes', mark: 'good' }]] },
    { list: ['x', { text: 'y', mark: 'bad' }] },
    { code: ['```', 'code'], language: 'sh' },
  ],
  suites: [
    {
      name: '<suite>',
      cases: [
        { name: 'a', time: 0.5 },
        { name: 'b', skipped: 'because' },
        { name: 'c', failure: { message: '"x"\u0007\ud800\ufffe😀', text: 'line 1\nline 2' } },
      ],
    },
  ],
  data: {},
}

test('Markdown reports escape cells, and have fences longer than those inside them', () => {
  expect(markdown(report)).toBe(
    '# A report\n\n2 of 3.\n\n## One\n\n| A | B |\n| --- | --- |\n| a\\|b\\\\\\| c | ✅ yes |\n\n- x\n- ❌ y\n\n````sh\n```\ncode\n````\n',
  )
})

test('JUnit reports are well-formed XML', () => {
  expect(junit(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="A report" tests="3" failures="1" errors="0" skipped="1" time="0.5">
  <testsuite name="&lt;suite&gt;" tests="3" failures="1" errors="0" skipped="1" time="0.5">
    <testcase classname="&lt;suite&gt;" name="a" time="0.5"/>
    <testcase classname="&lt;suite&gt;" name="b" time="0"><skipped message="because"/></testcase>
    <testcase classname="&lt;suite&gt;" name="c" time="0"><failure message="&quot;x&quot;\ufffd\ufffd😀">line 1&#10;line 2</failure></testcase>
  </testsuite>
</testsuites>
`)
})

test('a report for a terminal is aligned, and as wide as the terminal', () => {
  const wide = { columns: 80 } as NodeJS.WriteStream
  const aligned: Report = {
    ...report,
    sections: [{ head: ['Fault', 'Verdict'], rows: [['lost', 'ordered-twice']] }],
  }
  expect(text(aligned, wide)).toBe('Fault  Verdict\nlost   ordered-twice\n\n2 of 3.')
  const bell = { ...report, sections: [{ list: ['a\u0007\u001b[31m\u009b\u202eb'] }] }
  expect(text(bell, wide)).toContain('  a\\u0007\\u001b[31m\\u009b\\u202eb\n')
})

test('a table wraps its widest cells to fit the terminal, but not in a pipe', () => {
  const rows = [
    ['id', 'what'],
    ['1', `one two three ${'x'.repeat(30)} four`],
  ]
  const at = (columns?: number): string => table(rows, { columns } as NodeJS.WriteStream)
  expect(at(0)).toBe(at()) // the terminal's width is unknown
  expect(at(24)).toBe(`id  what\n1   one two three\n    ${'x'.repeat(20)}\n    xxxxxxxxxx four`)
  expect(
    at(8)
      .split('\n')
      .every((line) => line.length <= 20),
  ).toBe(true)
  for (const wide of [at(80), at()]) expect(wide).toBe(`id  what\n1   one two three ${'x'.repeat(30)} four`)
})

test('control characters become visible; our colors stay if they are allowed', () => {
  expect(visible('a\tb\n\u001b[31mc\u0085')).toBe('a\tb\n\\u001b[31mc\\u0085')
  expect(visible('\u001b[31mc\u001b[39m\u001b]0;title\u0007', { keepColours: true })).toBe(
    '\u001b[31mc\u001b[39m\\u001b]0;title\\u0007',
  )
  const value = { text: '\u009b\u202e' }
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value)
})

test('an empty section is omitted with its heading', () => {
  const sections = [{ heading: 'a', list: [] }, { heading: 'b', lines: ['x'] }, { code: [] }]
  expect(nonEmptySections({ sections })).toEqual([{ heading: 'b', lines: ['x'] }])
})
