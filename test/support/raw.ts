import { connect, type Socket } from 'node:net'

/** Reads everything until the other side closes or the connection breaks. */
export function replyTo(port: number, send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => send(socket))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A server that responds early and closes resets the connection; its response has arrived nevertheless.
    socket.on('error', () => {}).on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Sends bytes. A request that should end the connection says `Connection: close`. */
export function sendRaw(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  return replyTo(port, (socket) => {
    for (const piece of pieces) socket.write(piece)
  })
}

/** Sends a request without a body; target and headers are sent unchanged. */
export function rawRequest(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  )
}

/** Parses status and body of a raw response; the status is 0 if there was none. */
export function readReply(reply: string): { status: number; head: string; body: string } {
  const [head = ''] = reply.split('\r\n\r\n', 1)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: reply.slice(head.length + 4),
  }
}
