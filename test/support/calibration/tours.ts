import type { NaiveService } from './NaiveService.ts'
import { Tape } from './Tape.ts'

/** A tour that reveals every reading, in about 60 calls. */
export function fullTour(service: NaiveService): Tape {
  const tape = new Tape(service)
  const { get, call } = { get: tape.get.bind(tape), call: tape.call.bind(tape) }
  const [fixed, turning, dead, cancelled, orphan] = service.services.map(({ id }) => id) as [
    number,
    number,
    number,
    number,
    number,
  ]
  get('/api/clients')
  get('/api/products')
  for (const { id } of service.products) get(`/api/product/${id}`)
  get('/api/product/4711')
  for (const field of ['price', 'productName', 'created_at', 'nonsense'])
    get(`/api/products/orderby/${field}`)
  get('/api/services')
  get('/api/billing/credit')
  get('/api/billing/invoices')
  for (const { id } of service.services) get(`/api/service/${id}`)
  get('/api/service/987654')
  get('/api/service/abc')
  get('/api/billing/invoice/987654')
  for (const id of [fixed, dead, orphan]) {
    get(`/api/networkstatus/errors/${id}`)
    get(`/api/networkstatus/inactive/${id}`)
  }
  get(`/api/stats/${turning}`)
  get(`/api/rate/${turning}`)
  get(`/api/rate/${fixed}`)
  for (const format of ['json', 'txt', 'csv']) get(`/api/iplist/http-ip/${format}/${fixed}`)
  get(`/api/iplist/http-auth/json/${fixed}`)
  get(`/api/iplist/ppr-http/txt/${turning}`)
  get(`/api/iplist/http-ip/txt/${dead}`)
  get(`/api/sticky/list/${turning}`)
  get(`/api/sticky/list/${cancelled}`)
  get(`/api/sticky/rotate/${turning}/ams1/s-a`)
  get(`/api/sticky/list/${turning}`)
  get(`/api/sticky/changettl/${turning}/5`)
  get(`/api/sticky/list/${turning}`)
  get(`/api/sticky/changettl/${cancelled}/5`)
  get(`/api/sticky/changettl/${cancelled}/5`, { authorization: null })
  get(`/api/sticky/resetall/${turning}`)
  get(`/api/sticky/list/${turning}`)
  call('PUT', `/api/service/${fixed}`, { body: { setip: '203.0.113.77' } })
  call('PUT', `/api/service/${fixed}`, { body: { update_list: 'true' } })
  call('PUT', `/api/service/${fixed}`, { body: { update_list: 'true' }, after: 30_300 })
  call('PUT', `/api/service/${fixed}`, { body: { password: Buffer.from('brand new').toString('base64') } })
  call('PUT', `/api/service/${fixed}`, { body: { password: '!' } })
  get(`/api/service/${fixed}`)
  get(`/api/iplist/http-ip/json/${fixed}`)
  const ordered = call('POST', '/api/product/7', { body: { clientid: 31, setip: '203.0.113.78' } }).json as {
    serviceId: number
    invoiceId: number
  }
  call('POST', '/api/product/7', { body: { clientid: 31, setip: '203.0.113.78' } })
  call('POST', '/api/product/5', { body: { clientid: 77 } })
  get('/api/billing/credit')
  get(`/api/service/${ordered.serviceId}`)
  get(`/api/billing/invoice/${ordered.invoiceId}`)
  get('/api/services')
  get('/api/billing/invoices')
  call('PUT', `/api/service/${ordered.serviceId}`, { body: { setip: '203.0.113.79' } })
  get('/api/clients', { authorization: null })
  get('/api/clients', { authorization: 'Bearer x' })
  call('PUT', `/api/service/${fixed}`, { body: { setip: '203.0.113.77' } }) // its own, once more
  return tape
}
