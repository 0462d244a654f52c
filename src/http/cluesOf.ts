import type { Clues } from '../journal/JournalEntry.ts'
import { fromBase64 } from '../world/base64.ts'
import { hash } from '../world/chance.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Instant } from '../world/time.ts'
import type { RequestContext } from './RequestContext.ts'

/** Notes what findings need, while it is there to be seen. */
export function cluesOf(
  { request, operation, path, body, account, now }: RequestContext,
  answered: { case?: string; body: string },
): Clues {
  const clues: Clues = {
    at: performance.timeOrigin + performance.now(),
    lost: false,
    missing: missingHeaders(request.headers),
  }
  if (!operation || !account) return clues
  const posted = isObject(body?.value) ? body.value : {}
  const id = path['id'] ?? path['pid'] ?? ''
  switch (operation.operationId) {
    case 'orderService':
      clues.order = String(hash([account.login, id, scalar(posted['clientid']), scalar(posted['setip'])]))
      break
    case 'updateService': {
      if (posted['update_list'] === 'true') {
        const until = answered.case === 'update-list-throttled' ? namedTime(answered.body) : undefined
        clues.listUpdate = { service: id, now, ...(until !== undefined && { until }) }
      }
      const { password } = posted
      if (typeof password === 'string') {
        const once = fromBase64(password)
        if (once === undefined) clues.password = 'refused'
        else if (once.length >= 4 && isReadable(fromBase64(once))) clues.password = 'twice'
      }
      break
    }
  }
  const speculative = speculation(request.headers)
  if (speculative !== undefined) clues.speculative = speculative
  return clues
}

/** Anything else than a number or a text is refused, so it is no order. */
function scalar(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : ''
}

/** The time that a 429 names, whoever made it. */
function namedTime(body: string): Instant | undefined {
  const [, date, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(body) ?? []
  return date === undefined ? undefined : Date.parse(`${date}T${time}Z`)
}

/** "Clients send the headers `Content-Type: application/json` and `Accept: application/json`." */
function missingHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const missing: string[] = []
  if (!namesJson(headers['accept'])) missing.push('Accept')
  if (!namesJson(headers['content-type'])) missing.push('Content-Type')
  return missing.length ? missing : none
}

const none: string[] = []

function namesJson(header: string | string[] | undefined): boolean {
  return (
    header === 'application/json' || /(?:^|[\s,])application\/json(?:$|[\s,;])/i.test(String(header ?? ''))
  )
}

function speculation(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined)
    return 'a conditional request'
  if (!('sec-purpose' in headers || 'purpose' in headers || 'x-moz' in headers)) return undefined
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')} ${String(headers['x-moz'] ?? '')}`
  return /prefetch|prerender/i.test(purpose) ? 'a prefetch' : undefined
}

/** Whether decoding gave a text again, rather than bytes that happen to be base64. */
function isReadable(text: string | undefined): boolean {
  return text !== undefined && text.length > 0 && /^[\u0020-\u007e]+$/.test(text)
}
