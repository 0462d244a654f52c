import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy between a client and a server: it can delay data, drop responses, or forward to another server. */
export class SlowNetwork {
  readonly #server: Server
  #port: number
  #isMute = false
  readonly #sockets = new Set<Socket>()
  /** The data of delayed connections, by destination */
  #held: Map<Socket, Buffer[]> | undefined
  #targets: Socket[] = []

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((from) => {
      const to = connect(this.#port, '127.0.0.1')
      this.#targets.push(to)
      for (const socket of [from, to]) {
        this.#sockets.add(socket)
        socket.setNoDelay(true).on('error', () => {})
      }
      from.on('data', (piece: Buffer) => this.#held?.get(to)?.push(piece) ?? to.write(piece))
      to.on('data', (piece: Buffer) => this.#isMute || from.write(piece))
      from.on('close', () => this.#held?.has(to) || to.destroy())
      to.on('close', () => from.destroy())
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

  /** Holds back the data of the open connections. @returns a function that delivers it and waits until it is processed */
  hold(): () => Promise<void> {
    const open = this.#targets.filter(({ destroyed }) => !destroyed)
    const held = new Map(open.map((to) => [to, [] as Buffer[]]))
    this.#held = held
    return async () => {
      for (const [to, pieces] of held) {
        if (pieces.length === 0) continue
        const answered = once(to, 'data')
        to.write(Buffer.concat(pieces))
        await answered
      }
      this.#held = undefined
    }
  }

  /** Delivers requests but no responses until it forwards elsewhere or the returned function is called. */
  mute(): () => void {
    this.#isMute = true
    return () => void (this.#isMute = false)
  }

  /** Forwards to another server from now on, like an address that moves. Open connections break. */
  leadTo(port: number): void {
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
