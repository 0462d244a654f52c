import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** What stands between a client and a server, can deliver late what was sent, and lead to another server. */
export class SlowNetwork {
  /** Milliseconds that what a client sends is on its way */
  delay: number
  readonly #server: Server
  #port: number
  #isMute = false
  readonly #sockets = new Set<Socket>()
  /** Pieces of a connection that is held up, and where they should have gone */
  #held: { to: Socket; pieces: Buffer[] }[] | undefined
  #open: { from: Socket; to: Socket }[] = []

  private constructor(port: number, delay: number) {
    this.#port = port
    this.delay = delay
    this.#server = createServer((from) => {
      const to = connect(this.#port, '127.0.0.1')
      this.#open.push({ from, to })
      for (const socket of [from, to]) {
        this.#sockets.add(socket)
        socket.setNoDelay(true).on('error', () => {})
      }
      const held = (): Buffer[] | undefined => this.#held?.find((one) => one.to === to)?.pieces
      from.on('data', (piece: Buffer) => held()?.push(piece) ?? setTimeout(() => to.write(piece), this.delay))
      to.on('data', (piece: Buffer) => this.#isMute || from.write(piece))
      from.on('close', () => held() ?? to.destroy())
      to.on('close', () => from.destroy())
    })
  }

  /** @param delay milliseconds that what a client sends is on its way */
  static async start(port: number, delay = 0): Promise<SlowNetwork> {
    const network = new SlowNetwork(port, delay)
    network.#server.listen(0, '127.0.0.1')
    await once(network.#server, 'listening')
    return network
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Holds what is sent over the connections that there are; later ones are quick. @returns delivers it all, and waits until it was worked off, or piece by piece */
  hold(): (between?: () => Promise<unknown>) => Promise<void> {
    const held = this.#open
      .filter(({ to }) => !to.destroyed)
      .map(({ to }) => ({ to, pieces: [] as Buffer[] }))
    this.#held = held
    return async (between) => {
      for (const { to, pieces } of held) {
        if (pieces.length === 0) continue
        for (const batch of between ? pieces.map((piece) => [piece]) : [pieces]) {
          const answered = once(to, 'data')
          for (const piece of batch) to.write(piece)
          await answered
          await between?.()
        }
      }
      this.#held = undefined
    }
  }

  /** How many pieces are held */
  get held(): number {
    return (this.#held ?? []).reduce((sum, { pieces }) => sum + pieces.length, 0)
  }

  /** Delivers what is sent, and no answer, until it leads elsewhere. */
  mute(): void {
    this.#isMute = true
  }

  /** Leads to another server from now on, as an address that moves: connections that there are break. */
  leadTo(port: number): void {
    this.#port = port
    this.#isMute = false
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
    this.#open = []
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
