import { describe, expect, test } from 'vitest'
import { looksEncoded } from '../../src/journal/findings/passwordNotEncoded.ts'
import { letters as lettersOf } from '../../src/world/chance.ts'

describe('password-not-encoded', () => {
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
  ])('of random passwords (%s, 4 to 16 characters) fewer than one in a thousand', (_name, alphabet) => {
    const samples = 8000
    const rates = Array.from({ length: 13 }, (_, i) => {
      let hits = 0
      for (let n = 0; n < samples; n++)
        if (looksEncoded(lettersOf(i + 4, alphabet, ['password', i, n]))) hits++
      return { length: i + 4, percent: (hits / samples) * 100 }
    })
    expect(rates.filter(({ percent }) => percent >= 0.1)).toEqual([])
  })
})
