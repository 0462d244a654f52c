import { Agent, request } from 'node:http'

/** What may be answered; anything else counts as an error. undefined: the connection may be dropped. */
interface Ask {
  method: string
  path: string
  body?: unknown
  expected: readonly (number | undefined)[]
}

const login = `Basic ${Buffer.from('reseller:secret').toString('base64')}`
const services = [5001, 5002, 5003, 5004, 5005, 5006]
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T
const ip = (): string => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`

/** One of everything that clients and tests do, by chance. */
function next(): Ask {
  const id = pick(services)
  const read = (path: string): Ask => ({ method: 'GET', path, expected: [200, 400, 422] })
  return pick<() => Ask>([
    () => ({
      method: 'POST',
      path: `/api/product/${pick([101, 102, 201, 999])}`,
      body: { clientid: pick([11, 12, 99]) },
      expected: [200, 422, undefined],
    }),
    () => ({
      method: 'POST',
      path: '/api/product/101',
      body: { clientid: 11, setip: ip() },
      expected: [200, 422, undefined],
    }),
    () => ({ method: 'PUT', path: `/api/service/${id}`, body: { setip: ip() }, expected: [200, 400, 422] }),
    () => ({
      method: 'PUT',
      path: `/api/service/${id}`,
      body: { update_list: 'true', password: 'bmV3LXNlY3JldA==' },
      expected: [200, 400, 422, 429],
    }),
    () => read('/api/services'),
    () => read('/api/products/orderby/price'),
    () => read('/api/billing/invoices'),
    () => read('/api/billing/credit'),
    () => read(`/api/service/${id}`),
    () => read(`/api/iplist/http-ip/csv/${id}`),
    () => read(`/api/stats/${id}`),
    () => read(`/api/sticky/list/${id}`),
    () => read(`/api/sticky/changettl/${id}/${pick([1, 5, 15])}`),
    () => read(`/api/sticky/rotate/${id}/us1/${pick(['abc', 'x'])}`),
    () => ({ method: 'GET', path: `/api/nothing/${Math.random()}`, expected: [404] }),
    () => ({ method: 'GET', path: '/__admin/requests?limit=20', expected: [200] }),
    () => ({ method: 'GET', path: '/__admin/findings', expected: [200] }),
    () => ({ method: 'GET', path: '/__admin/coverage', expected: [200] }),
    () => ({
      method: 'POST',
      path: '/__admin/clock/advance?account=reseller',
      body: { by: 'PT1M' },
      expected: [200],
    }),
    () => ({ method: 'PATCH', path: '/__admin/accounts/reseller', body: { credit: 1000 }, expected: [200] }),
    () => ({
      method: 'POST',
      path: '/__admin/faults?account=reseller',
      body: { operation: 'orderService', phase: pick(['before', 'after']), drop: 'empty', times: 1 },
      expected: [201],
    }),
  ])()
}

export interface Counts {
  requests: number
  errors: string[]
}

/** Asks again and again until told to stop, with a pause between two requests (milliseconds). */
export async function mixedLoad(
  url: string,
  pause: number,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!signal.aborted) {
    const ask = next()
    const { status, text } = await send(url, agent, ask)
    counts.requests++
    if (!ask.expected.includes(status))
      counts.errors.push(`${ask.method} ${ask.path}: ${status} ${text.slice(0, 200)}`)
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  }
  agent.destroy()
}

/** Sends one request to the control plane. */
export async function control(url: string, method: string, path: string, body?: unknown): Promise<string> {
  const { status = 0, text } = await send(url, new Agent(), {
    method,
    path: `/__admin${path}`,
    body,
    expected: [],
  })
  if (status >= 300 || status === 0) throw new Error(`${method} ${path}: ${status} ${text}`)
  return text
}

function send(
  url: string,
  agent: Agent,
  { method, path, body }: Ask,
): Promise<{ status: number | undefined; text: string }> {
  const bytes = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(path.startsWith('/api') && { authorization: login }),
    ...(bytes !== undefined && { 'content-length': Buffer.byteLength(bytes) }),
  }
  return new Promise((resolve) => {
    const asking = request(new URL(path, url), { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('error', () => resolve({ status: undefined, text }))
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    asking.on('error', (error) => resolve({ status: undefined, text: error.message }))
    asking.end(bytes)
  })
}
