import type { Finding } from '../lib/types.ts'

/** What to do about a finding, and a request that does it right. */
export interface Advice {
  next: string
  request?: { method: string; path: string; body?: object }
}

export const advice: Record<Finding['finding'], Advice> = {
  'duplicate-order': {
    next: 'After an order without an answer, look for it before you order again: a service that is newer than your order, for the same client and product, is yours.',
    request: { method: 'GET', path: '/api/services' },
  },
  'throttle-ignored': {
    next: 'Read the time that the 429 names, store it with the service, and ask for a new list after it. Until then, the list that you have is still good.',
    request: { method: 'PUT', path: '/api/service/5001', body: { update_list: 'true' } },
  },
  'unsafe-get': {
    next: 'Send these GETs as you would a POST: once, with caching and prefetching off, and without a retry by the HTTP library.',
    request: { method: 'GET', path: '/api/sticky/list/5101' },
  },
  'password-not-encoded': {
    next: 'Encode the password as Base64 exactly once, at the place that sends it. “s3cret” goes over the wire as “czNjcmV0”.',
    request: { method: 'PUT', path: '/api/service/5001', body: { password: 'czNjcmV0' } },
  },
  'header-missing': {
    next: 'Set both headers once, where your client is made, for every request.',
    request: { method: 'GET', path: '/api/clients' },
  },
}
