import { EventSourceParserStream } from 'eventsource-parser/stream'
import { AdminError, adminHeaders } from './admin.ts'

export interface StreamEvent {
  event: string
  data: unknown
}

/**
 * Reads `/__admin/events` until it ends. EventSource could not send the token that the control plane may ask for.
 * @throws AdminError if it is refused, TypeError if the server is gone
 */
export async function readEvents(opened: () => void, receive: (event: StreamEvent) => void): Promise<void> {
  const reply = await fetch('/__admin/events', {
    headers: { accept: 'text/event-stream', ...adminHeaders() },
  })
  if (!reply.ok || !reply.body) throw new AdminError(reply.status, `events: status ${reply.status}`, [])
  opened()
  const events = reply.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await events.read()
    if (done) return
    receive({ event: value.event ?? 'message', data: JSON.parse(value.data) })
  }
}
