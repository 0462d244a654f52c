import type { NaiveService } from './NaiveService.ts'
import { Tape } from './Tape.ts'

/** Records about 60 calls that reveal every interpretation. */
export function recordFullTour(service: NaiveService): Tape {
  const tape = new Tape(service)
  const get = (...paths: string[]): void => {
    for (const path of paths) tape.get(`/api/${path}`)
  }
  const ids = service.services.map(({ id }) => id)
  const [fixed, turning, dead, cancelled, orphan] = ids
  const update = (body: object, after?: number) =>
    tape.call('PUT', `/api/service/${fixed}`, { body, ...(after && { after }) })
  const order = (pid: number, body: object) => tape.call('POST', `/api/product/${pid}`, { body })

  get('clients', 'products', ...service.products.map(({ id }) => `product/${id}`), 'product/4711')
  get(...['price', 'productName', 'created_at', 'nonsense'].map((field) => `products/orderby/${field}`))
  get('services', 'billing/credit', 'billing/invoices', ...ids.map((id) => `service/${id}`))
  get('service/987654', 'service/abc', 'billing/invoice/987654')
  for (const id of [fixed, dead, orphan]) get(`networkstatus/errors/${id}`, `networkstatus/inactive/${id}`)
  get(`stats/${turning}`, `rate/${turning}`, `rate/${fixed}`)
  get(...['json', 'txt', 'csv'].map((format) => `iplist/http-ip/${format}/${fixed}`))
  get(`iplist/http-auth/json/${fixed}`, `iplist/ppr-http/txt/${turning}`, `iplist/http-ip/txt/${dead}`)
  get(`sticky/list/${turning}`, `sticky/list/${cancelled}`)
  get(`sticky/rotate/${turning}/ams1/s-a`, `sticky/list/${turning}`)
  get(`sticky/changettl/${turning}/5`, `sticky/list/${turning}`, `sticky/changettl/${cancelled}/5`)
  get(`sticky/resetall/${turning}`, `sticky/list/${turning}`)
  update({ setip: '203.0.113.77' })
  update({ update_list: 'true' })
  update({ update_list: 'true' }, 30_300)
  update({ password: Buffer.from('brand new').toString('base64') })
  update({ password: '!' })
  get(`service/${fixed}`, `iplist/http-ip/json/${fixed}`)
  const ordered = order(7, { clientid: 31, setip: '203.0.113.78' }).json as Record<string, number>
  order(7, { clientid: 31, setip: '203.0.113.78' })
  order(5, { clientid: 77 })
  get('billing/credit', `service/${ordered['serviceId']}`, `billing/invoice/${ordered['invoiceId']}`)
  get('services', 'billing/invoices')
  tape.call('PUT', `/api/service/${ordered['serviceId']}`, { body: { setip: '203.0.113.79' } })
  for (const authorization of [null, 'Bearer x']) tape.get('/api/clients', { authorization })
  update({ setip: '203.0.113.77' }) // the service already has this address
  return tape
}
