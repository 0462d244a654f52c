import { changed, type Entry } from './calibrated.ts'

/** The response got lost. */
export function unanswered(entry: Entry): Entry {
  return { ...entry, response: { status: 0, headers: [], content: { size: 0 } } }
}

export function withoutRequestBody(entry: Entry): Entry {
  return changed(entry, { request: { postData: undefined } })
}

function withoutResponseBody({ response, ...entry }: Entry): Entry {
  return { ...entry, response: { ...response, content: { size: -1 }, bodySize: -1 } }
}

/** What recorders and networks lose of an exchange */
export const losses = [unanswered, withoutResponseBody, withoutRequestBody]
