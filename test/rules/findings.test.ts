import { expect, test } from 'vitest'
import { FindingEvidence, findingRules } from '../../src/findings/findings.ts'
import { looksEncoded } from '../../src/findings/passwordNotEncoded.ts'
import type { SeenRecord } from '../../src/findings/FindingRule.ts'
import { letters as lettersOf } from '../../src/world/chance.ts'

function seen(id: number, evidence: object): SeenRecord {
  const raw = { account: 'a', era: 0, operation: 'x', lost: false, version: id, evidence }
  const entry = { id, time: '', method: 'GET', path: '/', status: 200 }
  return { raw, entry, redact: (text: string) => text } as unknown as SeenRecord
}

test('evidence is bounded for each rule: a frequent one does not push out a rare one', () => {
  const evidence = new FindingEvidence()
  evidence.add(seen(1, { 'password-not-encoded': 'refused' }))
  for (let id = 2; id <= 3000; id++) evidence.add(seen(id, { 'header-missing': ['Accept'] }))
  const [password, header] = evidence.findings
  expect(password).toMatchObject({ finding: 'password-not-encoded', requests: [{ id: 1 }] })
  expect(header).toMatchObject({ finding: 'header-missing', severity: 'low' })
  expect(header?.requests).toHaveLength(1000)
  expect(header?.requests.at(-1)?.id).toBe(3000)
})

test('every rule says in its file what the client does and what to do', () => {
  for (const [name, { words, advice }] of Object.entries(findingRules))
    expect({ name, words, advice }).toEqual({
      name,
      words: expect.stringMatching(/^It [^]+\.$/),
      advice: expect.stringMatching(/^[A-Z][^]+\.$/),
    })
})

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const all = `${letters}${letters.toUpperCase()}${digits}`

test.each([
  ['letters', letters + letters.toUpperCase()],
  ['small letters', letters],
  ['letters and digits', all],
  ['small letters and digits', letters + digits],
  ['hexadecimal digits', `${digits}abcdef`],
  ['the characters of base64', `${all}+/=`],
  ['all that a keyboard has', `${all}!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`],
])('of random passwords (%s) fewer than one in a thousand look encoded', (_name, alphabet) => {
  const samples = 8000
  const rates = Array.from({ length: 13 }, (_, i) => {
    const made = Array.from({ length: samples }, (_one, n) => lettersOf(i + 4, alphabet, ['password', i, n]))
    return { length: i + 4, rate: made.filter(looksEncoded).length / samples }
  })
  expect(rates.filter(({ rate }) => rate >= 0.001)).toEqual([])
})
