import type { Patch, World } from './types.ts'

type Fault = World['faults'][number]

const htmlPage = (status: number, title: string) => ({
  respond: {
    status,
    body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
    headers: { 'content-type': 'text/html' },
  },
})
const limited = { status: 429, body: { error: 'Too Many Requests' }, headers: { 'retry-after': '1' } }

/** What can go wrong with any operation, besides its documented cases: in words, and as a fault. */
export const mishaps: Record<string, [words: string, fault: Patch]> = {
  '503': ['503 Service Unavailable', { respond: { status: 503, body: { error: 'Service Unavailable' } } }],
  'bad-gateway': ['502 and a proxy’s HTML page', htmlPage(502, '502 Bad Gateway')],
  'too-many-requests': ['429 with Retry-After: 1', { respond: limited }],
  'not-json': ['200 and an HTML page', htmlPage(200, 'Maintenance')],
  reset: ['connection reset', { drop: 'reset' }],
  empty: ['connection closed without a response', { drop: 'empty' }],
  truncate: ['connection closed in the middle of the response', { drop: 'truncate' }],
  slow: ['response after 5 seconds', { delay: 5000 }],
}

/** Whether it has struck as often as it should. */
export function isUsedUp({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** What a fault does: `orderService responds insufficient-funds, once` */
export function faultWords({ operation, respond, drop, delay, phase, match }: Fault): string {
  const does = [
    respond !== undefined && `responds ${typeof respond === 'string' ? respond : respond.status}`,
    drop !== undefined &&
      (drop === 'truncate'
        ? 'breaks off its response'
        : `ends in ${drop === 'empty' ? 'no response' : 'a reset'}`),
    delay !== undefined && `takes ${delay} ms`,
  ].filter(Boolean)
  const where = match ? ` if ${JSON.stringify(match.path ?? match.body)}` : ''
  const what = `${operation === '*' ? 'Every operation' : operation} ${does.join(', ')}${where}`
  return phase === 'after' ? `${what}, after it was carried out` : what
}

/** How often it strikes, and has struck. */
export function faultCount({ times, used, after = 0, seen, probability }: Fault): string {
  return [
    times === undefined ? `every time, ${used} so far` : `${used} of ${times}`,
    after > seen && `not the next ${after - seen}`,
    probability !== undefined && `${probability * 100} %`,
  ]
    .filter(Boolean)
    .join(', ')
}
