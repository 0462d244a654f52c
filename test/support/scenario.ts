/** A frozen Thursday noon. */
export const noon = '2026-01-15T12:00:00Z'

export const products = {
  101: {
    productName: 'Static 10',
    price: 20,
    groupId: 1,
    groupName: 'Static',
    created_at: '2025-01-02',
    product_type: 'fpr',
    ip_count: 10,
    update_time: '2026-01-01 06:00:00',
    geo: ['US', 'DE'],
  },
  102: {
    productName: 'Hidden 5',
    price: 12.5,
    groupId: 1,
    groupName: 'Static',
    created_at: '2024-12-24',
    product_type: 'fpr',
    product_hidden: true,
    ip_count: 5,
  },
  201: {
    productName: 'Rotating',
    price: 49.9,
    groupId: 2,
    groupName: 'Rotating',
    created_at: '2025-03-04',
    product_type: 'ppr',
  },
  202: {
    productName: 'Free trial',
    price: 0,
    groupId: 3,
    groupName: 'Free',
    created_at: '2025-02-01',
    product_type: 'ppr',
    group_hidden: false,
  },
}

/**
 * An account with a service of each kind: 5001 static, 5002 rotating, 5003 static and suspended, 5004 rotating and
 * suspended, 5005 static of a client that does not exist, 5006 static and Active beside 5001.
 */
export const reseller = {
  password: 'secret',
  tokens: ['tok_abc'],
  credit: 100,
  clients: { 11: { email: 'ana@example.com' }, 12: { email: 'ben@example.com' } },
  products,
  services: {
    5001: {
      client: 11,
      product: 101,
      orderid: 7001,
      status: 'Active',
      regdate: '2025-12-20',
      username: 'u5001',
      password: 'p,5"0:01',
      bindedip: '192.0.2.10',
      ips: ['198.51.100.1', '198.51.100.2'],
      errors: ['198.51.100.2'],
      inactive: ['198.51.100.1'],
    },
    5002: {
      client: 12,
      product: 201,
      orderid: 7002,
      status: 'Active',
      username: 'u5002',
      password: 'p5002',
      ips: ['198.51.100.9'],
      usage: { limit: 10_000, stats: { '2026-01-14': 120, '2026-01-13': 80.5 } },
      sticky: {
        ttl: 10,
        sessions: [
          { server: 'us1', session: 'abc', ip: '198.18.0.1' },
          { server: 'us1', session: 'def', ip: '198.18.0.2' },
        ],
      },
    },
    5003: { client: 11, product: 101, status: 'Suspended', bindedip: '192.0.2.13' },
    5004: { client: 12, product: 201, status: 'Suspended' },
    5005: { client: 99, product: 101, status: 'Active', bindedip: '192.0.2.15' },
    5006: { client: 11, product: 101, status: 'Active', bindedip: '192.0.2.16' },
  },
  invoices: {
    9001: {
      serviceid: 5001,
      status: 'Paid',
      amount: 20,
      description: 'Static 10',
      created_at: '2025-12-20',
      date_paid: '2025-12-20',
      paymentmethod: 'credit',
    },
    9002: {
      serviceid: 5002,
      status: 'Unpaid',
      amount: 49.9,
      description: 'Rotating',
      created_at: '2026-01-14',
    },
    9003: {
      serviceid: 5003,
      status: 'Refunded',
      amount: 5,
      description: 'Gone',
      created_at: '2025-11-01',
      date_paid: '2025-11-01',
      date_refunded: '2025-11-05',
    },
  },
}

/** Creates a scenario with that account, and with changes to the account and options of the scenario. */
export function scenarioWith(changes: object = {}, options: object = {}): object {
  return { clock: noon, accounts: { reseller: { ...reseller, ...changes } }, ...options }
}

/** A small scenario for tests of the control plane, with all records that they need and a frozen clock. */
export const small = {
  clock: noon,
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

/** The same scenario with a second account. */
export const two = {
  ...small,
  accounts: {
    ...small.accounts,
    other: { ...small.accounts.reseller, password: 'battery staple', credit: 5 },
  },
}
