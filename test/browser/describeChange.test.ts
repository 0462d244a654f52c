import { expect, test } from 'vitest'
import { describeChange, lineText } from '../../ui/src/lib/describeChange.ts'

const words = (patch: unknown, before?: Record<string, unknown>) =>
  describeChange(patch, before).map(lineText)

const service = { client: 11, product: 101, orderid: 7001, product_name: 'Static 10', status: 'Active' }
const invoice = { serviceid: 5009, status: 'Paid', amount: 33.33 }

test('an order: what the credit was is known from the world, or from the invoice that it paid', () => {
  const patch = {
    credit: 66.67,
    services: { 5009: service },
    invoices: { 9001: invoice },
    next: { service: 5010 },
  }
  const said = ['credit 100.00 → 66.67', '+ service 5009 (Static 10, Active)', '+ invoice 9001 (Paid, 33.33)']
  expect(words(patch, { credit: 100, services: {}, invoices: {} })).toEqual(said)
  expect(words(patch)).toEqual(said)
})

test('an order whose invoice is unpaid takes no credit, so none is guessed', () => {
  const unpaid = {
    credit: 50,
    services: { 5009: service },
    invoices: { 9001: { ...invoice, status: 'Unpaid' } },
  }
  expect(words(unpaid)[0]).toBe('credit → 50.00')
})

test('fields of a record, with what they were', () => {
  const before = { services: { 5001: { ...service, bindedip: '' } } }
  expect(words({ services: { 5001: { bindedip: '192.0.2.9' } } }, before)).toEqual([
    'service 5001 bindedip none → 192.0.2.9',
  ])
  expect(words({ services: { 5001: { bindedip: '192.0.2.9' } } })).toEqual([
    'service 5001 bindedip → 192.0.2.9',
  ])
  expect(words({ services: { 5001: { status: null } } }, before)).toEqual([
    'service 5001 status Active → none',
  ])
})

test('what is gone, and what is new', () => {
  const before = { services: { 5001: service }, clients: {} }
  expect(words({ services: { 5001: null }, clients: { 12: { email: 'ben@example.org' } } }, before)).toEqual([
    '− service 5001',
    '+ client 12 (ben@example.org)',
  ])
})

test('sticky sessions: rotated, renewed, ended and begun', () => {
  const session = (name: string, ip: string, since: string) => ({ server: 'us1', session: name, ip, since })
  const before = {
    services: {
      5101: {
        ...service,
        sticky: {
          ttl: 10,
          sessions: [
            session('a', '1.1.1.1', 't1'),
            session('b', '1.1.1.2', 't1'),
            session('c', '1.1.1.3', 't1'),
          ],
        },
      },
    },
  }
  const sessions = [
    session('a', '1.1.1.9', 't2'),
    session('b', '1.1.1.2', 't2'),
    session('d', '1.1.1.4', 't2'),
  ]
  expect(words({ services: { 5101: { sticky: { ttl: 5, sessions } } } }, before)).toEqual([
    'service 5101 sticky ttl 10 → 5',
    'service 5101 sticky session us1/a ip 1.1.1.1 → 1.1.1.9',
    'service 5101 sticky session us1/b TTL begun anew',
    '+ service 5101 sticky session us1/d (1.1.1.4)',
    '− service 5101 sticky session us1/c',
  ])
})

test('an updated IP list is one line, and a password is never shown', () => {
  const patch = {
    services: { 5001: { ips: null, list_version: 2, list_updated_at: 'now', password: 'hunter2' } },
  }
  expect(words(patch, { services: { 5001: service } })).toEqual([
    'service 5001 IP list replaced',
    'service 5001 password changed',
  ])
})

test('no change is no line', () => {
  expect(words(null)).toEqual([])
})
