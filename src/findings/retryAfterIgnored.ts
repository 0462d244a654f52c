import { getEntry } from '../journal/getEntry.ts'
import { counted } from '../lib/text.ts'
import { getArrival, historyKey, isSentAfter, type FindingRule, type ObservedRequest } from './FindingRule.ts'

export const retryAfterIgnored: FindingRule<'retry-after-ignored'> = {
  name: 'retry-after-ignored',
  severity: 'medium',
  isEarlyCall: true,
  description: 'It calls an operation again before the time in `Retry-After` of a 429 or 503 has passed.',
  advice:
    'Wait as long as `Retry-After` says before the next call. A service that is overloaded or limits its rate refuses earlier calls, and may block the client.',
  appliesTo: ({ record }) => record.operation !== null,
  key: (call) => [historyKey(call), call.record.operation],
  find(calls) {
    const examples = new Set<ObservedRequest>()
    // Refusals that were under way at the same time, and ask for the same wait: each of them may allow the next call.
    let refusals: ObservedRequest[][] = []
    for (const call of calls) {
      refusals = refusals.filter((together) => !together.some((refusal) => hasPassed(refusal, call)))
      const ignored = refusals.flat().find((refusal) => isSentAfter(call, refusal))
      if (ignored) examples.add(ignored).add(call)
      if (getWait(call) === 0) continue
      const together = refusals.find((all) =>
        all.every((one) => !isSentAfter(call, one) && isSameWait(call, one)),
      )
      if (together) together.push(call)
      else refusals.push([call])
    }
    const [first] = examples
    if (!first) return []
    const { method, path, status } = getEntry(first.record)
    const wait = counted(Math.ceil(getWait(first) / 1000), 'second')
    const message = `${method} ${path} responded with ${status} and Retry-After: ${wait}, and ${first.record.operation} was called again too early.`
    return [{ message, examples: [...examples] }]
  },
}

/** The wait that a response asked for, in milliseconds; 0 if there was none, or the response never arrived. */
function getWait({ record }: ObservedRequest): number {
  const { status, isUndelivered, responseHeaders, time } = record
  if (isUndelivered || (status !== 429 && status !== 503)) return 0
  const [value = ''] = [responseHeaders['retry-after']].flat()
  if (/^\d+$/.test(value)) return Number(value) * 1000
  return Math.max((Date.parse(value) || 0) - time, 0)
}

/** Whether two refusals ask for equal waits, or for waits with the same end. `Retry-After` has whole seconds, so ends are rounded. */
function isSameWait(a: ObservedRequest, b: ObservedRequest): boolean {
  const ends = [a, b].map((one) => one.record.at + getWait(one)) as [number, number]
  return getWait(a) === getWait(b) || Math.abs(ends[0] - ends[1]) <= 1000
}

/** Milliseconds by which a client's timer may end early. */
const tolerance = 50

/** Whether the wait was over when a call arrived. A client may measure it by its own clock or by the account's. */
function hasPassed(refusal: ObservedRequest, call: ObservedRequest): boolean {
  const { at, time } = refusal.record
  const skipped = call.record.time - time - (call.record.at - at)
  return getArrival(call) - at + Math.max(skipped, 0) >= getWait(refusal) - tolerance
}
