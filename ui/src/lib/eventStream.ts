import { AdminError, adminHeaders } from './admin.ts'

export interface StreamEvent {
  event: string
  data: unknown
}

/**
 * Reads `/__admin/events` until it ends. EventSource could not send the token that the control plane may ask for.
 * @throws AdminError where it is refused, TypeError where the server is gone
 */
export async function readEvents(
  opened: () => void,
  receive: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const reply = await fetch('/__admin/events', {
    headers: { accept: 'text/event-stream', ...adminHeaders() },
    signal,
  })
  if (!reply.ok || !reply.body) throw new AdminError(reply.status, `events: status ${reply.status}`, [])
  opened()
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value.replaceAll('\r', '')).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event) receive(event)
    }
  }
}

/** One event; comments, which keep the connection alive, are none. */
function parseBlock(block: string): StreamEvent | undefined {
  const field = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
  const data = field('data')
  if (data.length === 0) return undefined
  return { event: field('event')[0] ?? 'message', data: JSON.parse(data.join('\n')) }
}
