import type { TestSimulator } from './start.ts'

const reads = `
clients stats/5002 stats/999 rate/5002 rate/999 product/101 product/999
products products/orderby/price products/orderby/colour
networkstatus/errors/5001 networkstatus/errors/5005 networkstatus/errors/999
networkstatus/inactive/5001 networkstatus/inactive/5005 networkstatus/inactive/999
billing/credit billing/invoices billing/invoice/9001 billing/invoice/999 billing/invoice/x
service/5001 service/999 service/x services iplist/http-ip/txt/5001 iplist/http-ip/txt/5002
sticky/list/5002 sticky/list/999 sticky/rotate/5002/us1/abc sticky/rotate/5002/us1/nobody
sticky/changettl/5002/5 sticky/changettl/5002/4 sticky/resetall/5002 sticky/resetall/999`

const orders: [product: number, body: object][] = [
  [101, { clientid: 11 }],
  [999, { clientid: 11 }],
  [101, {}],
  [101, { clientid: 99 }],
]
const updates: [service: number, body: object][] = [
  [5001, { update_list: 'true' }],
  [5001, { update_list: 'true' }],
  [5001, { password: '!' }],
  [5001, { setip: '1' }],
  [5001, { setip: '192.0.2.16' }],
  [5005, {}],
  [999, {}],
]

/** Triggers every response of the contract that is possible for the account of `scenarioWith`. */
export async function coverAll({ call }: TestSimulator): Promise<void> {
  for (const authorization of [undefined, 'Bearer x', 'Basic !'])
    await call('GET', '/api/clients', { headers: { authorization } })
  for (const path of reads.trim().split(/\s+/)) await call('GET', `/api/${path}`)
  for (const [product, body] of orders) await call('POST', `/api/product/${product}`, { body })
  for (const [service, body] of updates) await call('PUT', `/api/service/${service}`, { body })
  await call('PATCH', '/__admin/accounts/reseller', { body: { credit: 0 } })
  await call('POST', '/api/product/101', { body: { clientid: 11 } })
}
