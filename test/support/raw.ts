import { connect, type Socket } from 'node:net'

/**
 * Sends bytes over a socket and reads all that comes back until the other side closes.
 * A request that should end the connection says `Connection: close`.
 */
export function sendRaw(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece)
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A server that answers early and closes resets what is still being sent; the answer is there all the same.
    socket.on('error', (error) => (chunks.length ? resolve(Buffer.concat(chunks).toString()) : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** A request without a body, to the letter: target and headers go out as they are given. */
export function rawRequest(method: string, target: string, headers: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  )
}

/** Status and body of a raw reply. */
export function readReply(reply: string): { status: number; head: string; body: string } {
  const end = reply.indexOf('\r\n\r\n')
  const head = end < 0 ? reply : reply.slice(0, end)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: end < 0 ? '' : reply.slice(end + 4),
  }
}

/** All that comes back until the other side closes, whatever becomes of the connection. */
export function replyTo(port: number, send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => send(socket))
    socket.setEncoding('latin1').on('data', (piece: string) => {
      reply += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(reply))
  })
}
