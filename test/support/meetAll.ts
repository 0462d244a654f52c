import type { CallOptions, Started } from './start.ts'

/** Meets every answer of the contract that the account of `scenarioWith` can give. */
export async function meetAll({ call }: Started): Promise<void> {
  const order = { body: { clientid: 11 } }
  const update = (body: object) => ({ body })
  const requests: [method: string, path: string, options?: CallOptions][] = [
    ['GET', 'clients', { login: null }],
    ['GET', 'clients', { headers: { authorization: 'Bearer x' } }],
    ['GET', 'clients', { headers: { authorization: 'Basic !' } }],
    ['GET', 'clients'],
    ['GET', 'stats/5002'],
    ['GET', 'stats/999'],
    ['GET', 'rate/5002'],
    ['GET', 'rate/999'],
    ['GET', 'product/101'],
    ['GET', 'product/999'],
    ['POST', 'product/101', order],
    ['POST', 'product/999', order],
    ['POST', 'product/101', { body: {} }],
    ['POST', 'product/101', { body: { clientid: 99 } }],
    ['GET', 'products'],
    ['GET', 'products/orderby/price'],
    ['GET', 'products/orderby/colour'],
    ...['errors', 'inactive'].flatMap((kind): [string, string][] => [
      ['GET', `networkstatus/${kind}/5001`],
      ['GET', `networkstatus/${kind}/5005`],
      ['GET', `networkstatus/${kind}/999`],
    ]),
    ['GET', 'billing/credit'],
    ['GET', 'billing/invoices'],
    ['GET', 'billing/invoice/9001'],
    ['GET', 'billing/invoice/999'],
    ['GET', 'billing/invoice/x'],
    ['GET', 'service/5001'],
    ['GET', 'service/999'],
    ['GET', 'service/x'],
    ['GET', 'services'],
    ['PUT', 'service/5001', update({ update_list: 'true' })],
    ['PUT', 'service/5001', update({ update_list: 'true' })],
    ['PUT', 'service/5001', update({ password: '!' })],
    ['PUT', 'service/5001', update({ setip: '1' })],
    ['PUT', 'service/5001', update({ setip: '192.0.2.16' })],
    ['PUT', 'service/5005', update({})],
    ['PUT', 'service/999', update({})],
    ['GET', 'iplist/http-ip/txt/5001'],
    ['GET', 'iplist/http-ip/txt/5002'],
    ['GET', 'sticky/list/5002'],
    ['GET', 'sticky/list/999'],
    ['GET', 'sticky/rotate/5002/us1/abc'],
    ['GET', 'sticky/rotate/5002/us1/nobody'],
    ['GET', 'sticky/changettl/5002/5'],
    ['GET', 'sticky/changettl/5002/4'],
    ['GET', 'sticky/resetall/5002'],
    ['GET', 'sticky/resetall/999'],
  ]
  for (const [method, path, options] of requests) await call(method, `/api/${path}`, options)
  await call('PATCH', '/__admin/accounts/reseller', { body: { credit: 0 } })
  await call('POST', '/api/product/101', order)
}
