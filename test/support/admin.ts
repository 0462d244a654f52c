import { expect } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import { validatorOf } from '../../src/contract/validator/createValidator.ts'
import type { Answered, CallOptions, Started } from './start.ts'

export type Admin = <T = unknown>(
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<Answered<T>>

/** Calls the control plane of a simulator, and holds every answer to `admin.openapi.yaml`. */
export function adminOf(simulator: () => Started): Admin {
  return async <T>(method: string, path: string, body?: unknown, options: CallOptions = {}) => {
    const contract = await adminContract()
    const validator = await validatorOf(contract)
    const answered = await simulator().call<T>(method, `/__admin${path}`, {
      ...options,
      ...(body !== undefined && { body }),
    })
    const match = contract.match(method, `/__admin${path}`.split('?', 1)[0] ?? '')
    if (match && 'operation' in match) {
      const { status, headers, text } = answered
      const sent = { status, type: headers['content-type'], body: text }
      expect(validator.response(match.operation, sent), `${method} ${path}: ${text}`).toEqual([])
    }
    return answered
  }
}

/** The scenario that tests of the control plane start from: small, with all that they ask for, its clock frozen. */
export const small = {
  clock: '2026-01-15T12:00:00Z',
  accounts: {
    reseller: {
      password: 'correct horse',
      tokens: ['tok_first'],
      credit: 100,
      clients: { 11: { email: 'ana@example.com' } },
      products: {
        101: { productName: 'Static 2', price: 20, product_type: 'fpr', ip_count: 2 },
        201: { productName: 'Rotating', price: 49.9, product_type: 'ppr' },
      },
      services: {
        5001: { client: 11, product: 101, bindedip: '192.0.2.10', username: 'u5001', password: 'pw-of-5001' },
        5002: {
          client: 11,
          product: 201,
          username: 'u5002',
          password: 'pw-of-5002',
          sticky: { ttl: 10, sessions: [{ server: 'us1', session: 'abc' }] },
        },
      },
      invoices: { 9001: { serviceid: 5001, status: 'Unpaid', amount: 20 } },
    },
  },
}

/** The same with a second account. */
export const two = {
  ...small,
  accounts: {
    ...small.accounts,
    other: { ...small.accounts.reseller, password: 'battery staple', credit: 5 },
  },
}
