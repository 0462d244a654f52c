import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  genericFaults,
  localState,
  type ApiRequest,
  type FaultPreset,
  type Simulation,
} from '../simulator.ts'
import { Injector, type TracedCall } from './Injector.ts'
import { observe } from './runAgainstSimulator.ts'
import type { CommandResult } from './runCommand.ts'
import { hasFailed, journalSize, readFacts, runInFolder, showRun, type Trial } from './runCell.ts'
import type { TrialSettings } from './trials.ts'

/*
 * Two runs of a command at the same time, as two cron jobs or a second click would start them.
 */

const workers = [1, 2] as const
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

/**
 * Runs the command twice in turn, with one folder. The second run doesn't start if the first one fails. Both get a token as the
 * password, which shows whether the command uses it.
 */
export async function runInTurn(settings: OverlapSettings): Promise<OverlapTrial> {
  return runInFolder(settings, async ({ simulation, run }, folder) => {
    const token = await addToken(simulation)
    const all = observe(simulation, journalSize)
    const { calls } = new Injector(simulation, { cell: undefined, hold: 0, token })
    const ended: CommandResult[] = []
    for (const worker of workers)
      if (!ended.some(hasFailed)) ended.push(await run(optionsFor(settings, 'none', worker, folder, token)))
    for (const one of ended) showRun(settings, 'in turn', one)
    const facts = await readFacts(all, folder, settings.ignore)
    return { simulation, calls, all, ended, facts, hasWritten: true }
  })
}

/**
 * Runs the command twice at the same time, with one folder.
 * @param isReset whether one of the first two writes is refused once the other has been answered
 */
export async function runAtOnce(settings: OverlapSettings, isReset: boolean): Promise<OverlapTrial> {
  const name = isReset ? 'overlap reset' : 'overlap'
  return runInFolder(settings, async ({ simulation, run }, folder) => {
    const token = await addToken(simulation)
    const all = observe(simulation, journalSize)
    const meeting = new Meeting(isReset)
    const injector = new Injector(simulation, {
      cell: undefined,
      hold: settings.hold,
      token,
      overlap: (call, request) => meeting.arrive(call, request),
    })
    const ended = await Promise.all(
      workers.map(async (worker) => {
        const one = await run(optionsFor(settings, name, worker, folder, worker === 2 ? token : undefined))
        meeting.end(worker)
        return one
      }),
    )
    for (const one of ended) showRun(settings, name, one)
    const facts = await readFacts(all, folder, settings.ignore)
    return { simulation, calls: injector.calls, all, ended, facts, hasWritten: meeting.hasWritten }
  })
}

/** Adds a token to the first account, by which the calls of the second worker are known. */
async function addToken(simulation: Simulation): Promise<string> {
  const token = `tok_${randomBytes(24).toString('base64url')}`
  const [login = ''] = localState(simulation).accounts.keys()
  await simulation.store.transact(login, (world) => ({
    value: undefined,
    ...(world && { change: { tokens: [...world.tokens, token] } }),
  }))
  return token
}

function optionsFor(
  { limit }: OverlapSettings,
  name: string,
  worker: Worker,
  folder: string,
  token: string | undefined,
) {
  const env = { PROXYSIM_FAULT: name, PROXYSIM_RUN_DIR: folder, PROXYSIM_WORKER: String(worker) }
  return { env: { ...env, ...(token !== undefined && { PROXYSIM_PASSWORD: token }) }, timeout: limit }
}

/** Holds the first write of each worker until the other one's has arrived. */
class Meeting {
  readonly #isReset: boolean
  readonly #lastRequest = new Map<Worker, number>()
  readonly #arrived: Worker[] = []
  readonly #ended = new Set<Worker>()
  /** The write that is handled while the other one is held */
  #answering: TracedCall | undefined
  hasWritten = false

  constructor(isReset: boolean) {
    this.#isReset = isReset
  }

  async arrive(call: TracedCall, { request }: ApiRequest): Promise<FaultPreset | undefined> {
    const { worker = 1 } = call
    const other = worker === 1 ? 2 : 1
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
