import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy between a client and a server that can delay data, drop responses, or forward to another server. */
export class SlowNetwork {
  readonly #server: Server
  #port: number
  #isMute = false
  readonly #sockets = new Set<Socket>()
  /** The data of delayed connections, by destination */
  #delayed: Map<Socket, Buffer[]> | undefined
  #targets: Socket[] = []

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((client) => {
      const target = connect(this.#port, '127.0.0.1')
      this.#targets.push(target)
      for (const socket of [client, target]) {
        this.#sockets.add(socket)
        socket.setNoDelay(true).on('error', () => {})
      }
      client.on('data', (chunk: Buffer) => this.#delayed?.get(target)?.push(chunk) ?? target.write(chunk))
      target.on('data', (chunk: Buffer) => this.#isMute || client.write(chunk))
      client.on('close', () => this.#delayed?.has(target) || target.destroy())
      target.on('close', () => client.destroy())
    })
  }

  static async start(port: number): Promise<SlowNetwork> {
    const network = new SlowNetwork(port)
    network.#server.listen(0, '127.0.0.1')
    await once(network.#server, 'listening')
    return network
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Delays the data of the open connections. @returns a function that delivers it, and waits for the responses */
  hold(): () => Promise<void> {
    const open = this.#targets.filter(({ destroyed }) => !destroyed)
    const delayed = new Map(open.map((target) => [target, [] as Buffer[]]))
    this.#delayed = delayed
    return async () => {
      for (const [target, chunks] of delayed) {
        if (chunks.length === 0) continue
        const response = once(target, 'data')
        target.write(Buffer.concat(chunks))
        await response
      }
      this.#delayed = undefined
    }
  }

  /** Drops responses until `forwardTo` or the returned function is called. */
  mute(): () => void {
    this.#isMute = true
    return () => void (this.#isMute = false)
  }

  /** Forwards to another server from now on, like an address that moves. Open connections break. */
  forwardTo(port: number): void {
    this.#port = port
    this.#isMute = false
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
    this.#targets = []
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
