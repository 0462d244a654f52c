import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { genericFaults, type ApiRequest, type FaultPreset } from '../simulator.ts'
import { Injector, type TracedCall } from './Injector.ts'
import { observe } from './runAgainstSimulator.ts'
import type { CommandResult } from './runCommand.ts'
import { hasFailed, journalSize, readFacts, runInFolder, showRun, type Trial } from './runCell.ts'
import type { TrialSettings } from './trials.ts'

/*
 * Two runs of a command at the same time, as two cron jobs or a second click would start them.
 */

const workers = ['1', '2'] as const
type Worker = (typeof workers)[number]

/** Milliseconds without a request after which a worker is no longer waited for */
const maxSilence = 2000

/** Milliseconds between two checks of whether a held call may go on */
const checkInterval = 10

/** The runs of both workers: in turn, or at the same time. */
export interface OverlapTrial extends Pick<Trial, 'simulation' | 'calls' | 'all'> {
  ended: readonly CommandResult[]
  facts: Trial['first']['facts']
  hasWritten: boolean
}

interface OverlapSettings extends TrialSettings {
  /** Time limit of a run in milliseconds */
  limit: number
  hold: number
}

/** Runs the command twice in turn, with one folder. The second run doesn't start if the first one fails. */
export async function runInTurn(settings: OverlapSettings): Promise<OverlapTrial> {
  return runInFolder(settings, async ({ simulation, run }, folder) => {
    const all = observe(simulation, journalSize)
    const ended: CommandResult[] = []
    for (const worker of workers)
      if (!ended.some(hasFailed)) ended.push(await run(optionsFor(settings, 'none', worker, folder)))
    for (const one of ended) showRun(settings, 'in turn', one)
    return { simulation, calls: [], all, ended, facts: await readFacts(all, folder), hasWritten: true }
  })
}

/**
 * Runs the command twice at the same time, with one folder.
 * @param isReset whether one of the first two writes is refused once the other has been answered
 */
export async function runAtOnce(settings: OverlapSettings, isReset: boolean): Promise<OverlapTrial> {
  const name = isReset ? 'overlap reset' : 'overlap'
  return runInFolder(settings, async ({ simulation, url, run }, folder) => {
    const all = observe(simulation, journalSize)
    const door = await openDoor(url)
    const meeting = new Meeting(door.host, isReset)
    const injector = new Injector(simulation, {
      cell: undefined,
      hold: settings.hold,
      overlap: (call, request) => meeting.arrive(call, request),
    })
    try {
      const ended = await Promise.all(
        workers.map(async (worker) => {
          const address = worker === '1' ? url : door.url
          const one = await run(optionsFor(settings, name, worker, folder), address)
          meeting.end(worker)
          return one
        }),
      )
      for (const one of ended) showRun(settings, name, one)
      const facts = await readFacts(all, folder)
      return { simulation, calls: injector.calls, all, ended, facts, hasWritten: meeting.hasWritten }
    } finally {
      door.close()
    }
  })
}

function optionsFor({ limit }: OverlapSettings, name: string, worker: Worker, folder: string) {
  const env = { PROXYSIM_FAULT: name, PROXYSIM_RUN_DIR: folder, PROXYSIM_WORKER: worker }
  return { env, timeout: limit }
}

/** Holds the first write of each worker until the other one's has arrived. */
class Meeting {
  readonly #secondHost: string
  readonly #isReset: boolean
  readonly #lastRequest = new Map<Worker, number>()
  readonly #arrived: Worker[] = []
  readonly #ended = new Set<Worker>()
  /** The write that is handled while the other one is held */
  #answering: TracedCall | undefined
  hasWritten = false

  /** @param secondHost the Host of the second worker's requests */
  constructor(secondHost: string, isReset: boolean) {
    this.#secondHost = secondHost
    this.#isReset = isReset
  }

  async arrive(call: TracedCall, { request }: ApiRequest): Promise<FaultPreset | undefined> {
    const { headers } = request.head
    const worker = headers['host'] === this.#secondHost ? '2' : '1'
    const other = worker === '1' ? '2' : '1'
    this.#lastRequest.set(worker, performance.now())
    if (request.operation?.changesState !== true || this.#arrived.includes(worker)) return undefined
    this.hasWritten = true
    const isFirst = this.#arrived.push(worker) === 1
    const since = performance.now()
    const isMet = (): boolean => this.#arrived.length === workers.length
    const isAlone = (): boolean =>
      this.#ended.has(other) ||
      performance.now() - Math.max(this.#lastRequest.get(other) ?? 0, since) > maxSilence
    while (!isMet() && !isAlone()) await sleep(checkInterval)
    if (!this.#isReset) return undefined
    if (!isFirst) {
      this.#answering = call
      return undefined
    }
    // If the other worker hasn't written anything, there is nothing to wait for.
    while (isMet() && !this.#answering?.record && !this.#ended.has(other)) await sleep(checkInterval)
    return genericFaults.find(({ name }) => name === 'reset')
  }

  end(worker: Worker): void {
    this.#ended.add(worker)
  }
}

/** A second address of the simulator, which tells the requests of the second worker apart. */
async function openDoor(url: string): Promise<{ url: string; host: string; close: () => void }> {
  const { hostname, port } = new URL(url)
  const host = hostname.replaceAll(/[[\]]/g, '')
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(port), host, allowHalfOpen: true })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.resetAndDestroy())
      one.on('close', () => {
        sockets.delete(one)
        if (!one.errored && !other.writableEnded) other.end()
      })
    }
  })
  server.listen(0, host)
  await once(server, 'listening')
  const address = new URL(url)
  address.port = String((server.address() as AddressInfo).port)
  return {
    url: address.href.replace(/\/$/, ''),
    host: address.host,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
