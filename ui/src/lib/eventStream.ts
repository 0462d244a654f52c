import { EventSourceParserStream } from 'eventsource-parser/stream'
import { fetchAdmin } from './admin.ts'

export interface StreamEvent {
  event: string
  data: unknown
}

/**
 * Reads `/__admin/events` until it ends. EventSource could not send the token that the control plane may ask for.
 * @throws SimulatorError if it is refused, TypeError if the server is gone
 */
export async function readEvents(opened: () => void, receive: (event: StreamEvent) => void): Promise<void> {
  const { body } = await fetchAdmin('/events', { headers: { accept: 'text/event-stream' } })
  if (!body) return
  opened()
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    receive({ event: value.event ?? 'message', data: JSON.parse(value.data) })
  }
}
