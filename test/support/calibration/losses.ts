import type { Entry } from './calibrated.ts'

/** The response got lost. */
export function unanswered(entry: Entry): Entry {
  return { ...entry, response: { status: 0, headers: [], content: { size: 0 } } }
}

function withoutResponseBody({ response, ...entry }: Entry): Entry {
  return { ...entry, response: { ...response, content: { size: -1 }, bodySize: -1 } }
}

export function withoutRequestBody({ request, ...entry }: Entry): Entry {
  const { postData: _, ...others } = request
  return { ...entry, request: others }
}

/** What recorders and networks lose of an exchange */
export const losses = [unanswered, withoutResponseBody, withoutRequestBody]
