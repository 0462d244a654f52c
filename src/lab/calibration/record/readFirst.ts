import type { ContractOperation } from '../../../contract/Contract.ts'
import { parseJson } from '../../../lib/json.ts'
import { counted } from '../../../lib/text.ts'
import { firstReads, followUpReads } from '../../simulator.ts'
import { decodeBody } from '../decodeBody.ts'
import { parseAuthorization } from '../RecordedExchange.ts'
import type { Head, Message } from './Recording.ts'

/** Maximum number of calls for one login */
const maxReads = 200

/**
 * Creates a function that reads the account of each login before its first request is passed on: lists first, then single
 * records, one call at a time.
 * @param operations the contract's
 * @param send sends a request to the target, and records it
 * @param report called with a line for each login
 */
export function createFirstReader(
  operations: readonly ContractOperation[],
  send: (request: Head) => Promise<Message>,
  report: (line: string) => void,
): (request: Head) => Promise<void> {
  const logins = new Map<string, Promise<void>>()

  const read = async (login: string, authorization: string, prefix: string): Promise<void> => {
    const accept = 'application/json'
    const headers = { authorization, accept, 'content-type': accept }
    const rawHeaders = ['Authorization', authorization, 'Accept', accept, 'Content-Type', accept]
    const pending = firstReads(operations)
    let count = 0
    for (let path = pending.shift(); path !== undefined && count < maxReads; path = pending.shift()) {
      const { head, body } = await send({ method: 'GET', url: prefix + path, headers, rawHeaders })
      count++
      if (count === 1 && head.statusCode !== 200) {
        logins.delete(login) // the next request may have the right credentials
        return report(`Didn't read the account first: ${path} responded with ${head.statusCode}.`)
      }
      // The client's own calls would be refused, too.
      if (head.statusCode === 429 || head.statusCode === 503)
        throw new Error(`${path} responded with ${head.statusCode}.`)
      pending.push(...followUpReads(path, parseJson(decodeBody(body, head.headers['content-encoding']))))
    }
    const skipped =
      pending.length > 0 ? ` Skipped ${counted(pending.length, 'call')} beyond the limit of ${maxReads}.` : ''
    report(`Read the account first: ${counted(count, 'read-only call')}.${skipped}`)
  }

  return async ({ headers: { authorization }, url = '' }) => {
    const credentials = authorization === undefined ? undefined : parseAuthorization(authorization)
    if (authorization === undefined || !credentials) return
    const { login } = credentials
    const prefix = /^(.*?)\/api\//.exec(url)?.[1] ?? ''
    let pendingRead = logins.get(login)
    if (!pendingRead) {
      pendingRead = read(login, authorization, prefix).catch((cause: unknown) =>
        report(`Stopped reading the account first: ${(cause as Error).message}`),
      )
      logins.set(login, pendingRead)
    }
    await pendingRead
  }
}
