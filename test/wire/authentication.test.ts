import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../support/anyText.ts'
import { formatRequest, parseResponse, sendRaw } from '../support/raw.ts'
import { basic, startForAll } from '../support/start.ts'
import { reseller } from '../support/scenario.ts'

const invalidHeader = {
  status: 400,
  text: 'Invalid Authorization header',
  case: 'invalid-authorization-header',
}
const invalidFormat = { status: 400, text: 'Invalid credentials format', case: 'invalid-credentials-format' }
const unauthenticated = { status: 401, text: 'Unauthenticated', case: 'unauthenticated' }

const simulator = startForAll({
  scenario: {
    accounts: {
      reseller: { ...reseller, tokens: ['tok_abc', 'tok:with:colons'] },
      colons: { password: 'a:b::c:' },
      größe: { password: 'pässwörd€' },
      nobody: { password: 'secret2' },
    },
  },
})

async function ask(authorization: string | undefined, path = '/api/billing/credit') {
  const { status, text, headers } = await simulator().call('GET', path, { headers: { authorization } })
  return { status, text, headers }
}

describe('authentication', () => {
  it.each([
    ['nothing', undefined, unauthenticated],
    ['an empty header', '', invalidHeader],
    ['the scheme alone', 'Basic', invalidHeader],
    ['the scheme and a space', 'Basic ', invalidHeader],
    ['another scheme', 'Bearer tok_abc', invalidHeader],
    ['a token alone', 'tok_abc', invalidHeader],
    ['two credentials', `${basic('reseller:secret')} x`, invalidHeader],
    ['Digest', 'Digest username="reseller"', invalidHeader],
    ['no space', `Basic${Buffer.from('reseller:secret').toString('base64')}`, invalidHeader],
    ['no base64', 'Basic re$eller', invalidFormat],
    ['plain login and password', 'Basic reseller:secret', invalidFormat],
    ['base64 without its padding', 'Basic cmVzZWxsZXI6c2VjcmV0MQ', invalidFormat],
    ['base64url', 'Basic __8_Og==', invalidFormat],
    ['no colon', basic('reseller'), invalidFormat],
    ['bytes that are no UTF-8', basic(Buffer.from([0xff, 0x3a, 0xff])), invalidFormat],
    ['a wrong password', basic('reseller:wrong'), unauthenticated],
    ['no password', basic('reseller:'), unauthenticated],
    ['an unknown login', basic('stranger:secret'), unauthenticated],
    ['an empty login', basic(':secret'), unauthenticated],
    ['a colon alone', basic(':'), unauthenticated],
    ["another account's password", basic('reseller:secret2'), unauthenticated],
    ['a login in capitals', basic('Reseller:secret'), unauthenticated],
    ['the last letter of a password wrong', basic('reseller:secreT'), unauthenticated],
    ['a password in another form of Unicode', basic('größe:pa\u0308sswörd€'), unauthenticated],
    ['a password with a space', basic('reseller:secret '), unauthenticated],
    ['the token instead of the login', basic('tok_abc:'), unauthenticated],
    ['__proto__', basic('__proto__:x'), unauthenticated],
    ['constructor', basic('constructor:undefined'), unauthenticated],
  ])('refuses %s', async (_what, authorization, expected) => {
    const { status, text, headers } = await ask(authorization)
    expect({ status, text, case: headers['sim-case'] }).toEqual(expected)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(headers['sim-reason']).toBeTruthy()
    // `curl --anyauth`, PHP's CURLAUTH_ANY and Python's handlers send credentials only after this header.
    expect(headers['www-authenticate']).toBe(
      status === 401 ? 'Basic realm="Proxy Reselling Service API", charset="UTF-8"' : undefined,
    )
  })

  it.each([
    ['login and password', basic('reseller:secret')],
    ['a token instead of the password', basic('reseller:tok_abc')],
    ['a token with colons', basic('reseller:tok:with:colons')],
    ['a password with colons', basic('colons:a:b::c:')],
    ['UTF-8', basic('größe:pässwörd€')],
    ['the scheme in small letters', basic('reseller:secret').replace('Basic', 'basic')],
    ['the scheme in capitals', basic('reseller:secret').replace('Basic', 'BASIC')],
    ['more spaces', basic('reseller:secret').replace(' ', '   ')],
  ])('accepts %s', async (_what, authorization) => {
    expect((await ask(authorization)).status).toBe(200)
  })

  it.each([
    ['a line break after the password', basic('reseller:secret\n')],
    ['a space before the login', basic(' reseller:secret')],
    ['a line break inside the login', basic('resel\r\nler:secret')],
    ['base64 on two lines', `${basic('reseller:')} ${Buffer.from('secret').toString('base64')}`],
  ])('says that the credentials contain white space: %s', async (_what, authorization) => {
    expect((await ask(authorization)).headers['sim-reason']).toContain('white space')
  })

  it('refuses two headers, even if the first one is valid', async () => {
    const header = `Authorization: ${basic('reseller:secret')}`
    for (const second of [header, `authorization: ${basic('nobody:secret2')}`]) {
      const reply = parseResponse(
        await sendRaw(simulator().port, formatRequest('GET', '/api/services', [header, second])),
      )
      expect(reply).toMatchObject({ status: 400, body: 'Invalid Authorization header' })
      expect(reply.head).toContain('the Authorization header was sent more than once')
    }
  })

  it.each([
    [undefined, unauthenticated],
    ['Bearer x', invalidHeader],
    ['Basic !', invalidFormat],
  ])(
    'refuses every operation in the same way, before any other check: %s',
    async (authorization, expected) => {
      const { simulation, call } = simulator()
      for (const { method, path } of simulation.contract.operations) {
        const { status, text } = await call(method, path.replaceAll(/\{.+?\}/g, 'x'), {
          headers: { authorization },
          raw: '{broken',
        })
        expect({ path, status, text }).toMatchObject({ path, status: expected.status, text: expected.text })
      }
    },
  )

  it('refuses random headers without failing', async () => {
    const header = fc.oneof(
      fc.string().map((text) => `Basic ${text}`),
      anyText().map(basic),
      fc.uint8Array().map(basic),
      fc.string({ unit: 'grapheme-ascii' }),
    )
    await fc.assert(
      fc.asyncProperty(header, async (authorization) => {
        const { status, text } = await ask(authorization)
        expect([400, 401]).toContain(status)
        expect(['Unauthenticated', 'Invalid Authorization header', 'Invalid credentials format']).toContain(
          text,
        )
      }),
      { numRuns: 200 },
    )
  })
})
