import { connect, type Socket } from 'node:net'

/** Opens a connection, sends data, and reads everything until the connection closes or breaks. */
export function sendAndRead(port: number, send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => send(socket))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A server that responds early and closes resets the connection, but its response has arrived by then.
    socket.on('error', () => {}).on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Sends bytes, and reads the response. The request needs `Connection: close`. */
export function sendRaw(port: number, ...chunks: readonly (string | Buffer)[]): Promise<string> {
  return sendAndRead(port, (socket) => {
    for (const piece of chunks) socket.write(piece)
  })
}

/** Formats a request without a body. Target and headers stay unchanged. */
export function formatRequest(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  )
}

/** Parses status, head and body of a raw response. The status is 0 if there was no response. */
export function parseResponse(response: string): { status: number; head: string; body: string } {
  const [head = ''] = response.split('\r\n\r\n', 1)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: response.slice(head.length + 4),
  }
}
