import type { Patch, World } from './types.ts'

type Fault = World['faults'][number]

/** What can go wrong with any operation, besides its documented cases. */
export const mishaps: Record<string, { words: string; fault: Patch }> = {
  '503': {
    words: '503 Service Unavailable',
    fault: { respond: { status: 503, body: { error: 'Service Unavailable' } } },
  },
  'bad-gateway': {
    words: "502 and a proxy's HTML page",
    fault: {
      respond: {
        status: 502,
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
        headers: { 'content-type': 'text/html' },
      },
    },
  },
  'too-many-requests': {
    words: '429 with Retry-After: 1',
    fault: {
      respond: { status: 429, body: { error: 'Too Many Requests' }, headers: { 'retry-after': '1' } },
    },
  },
  'not-json': {
    words: '200 and an HTML page',
    fault: {
      respond: {
        status: 200,
        body: '<html><body>Maintenance</body></html>',
        headers: { 'content-type': 'text/html' },
      },
    },
  },
  reset: { words: 'connection reset', fault: { drop: 'reset' } },
  empty: { words: 'connection closed without a response', fault: { drop: 'empty' } },
  truncate: { words: 'connection closed in the middle of the response', fault: { drop: 'truncate' } },
  slow: { words: 'response after 5 seconds', fault: { delay: 5000 } },
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
