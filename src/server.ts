import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { URL } from 'node:url'
import { transferableAbortController } from 'node:util'
import { pino, type Logger } from 'pino'
import { createApp } from './app.ts'
import { checkNames, checkOptions, type SimulatorOptions } from './SimulatorOptions.ts'
import { type Contract, decodeSegment } from './contract/Contract.ts'
import { loadContract } from './contract/loadContract.ts'
import { getValidator } from './contract/validator/createValidator.ts'
import { loadLibrary } from './contract/validator/onDemand.ts'
import { checkExamples } from './http/examples.ts'
import { createGuards, resolveAddress } from './http/guards.ts'
import { expressServer } from './http/expressServer.ts'
import { loadOverrides } from './http/loadOverrides.ts'
import { checkTls } from './http/tls.ts'
import { logDestination, logRequests, logSerializers } from './logging.ts'
import { RefusedRequests } from './journal/RefusedRequests.ts'
import { limits } from './http/limits.ts'
import { listen, tryPort } from './http/listen.ts'
import { isFilePath } from './scenario/NameIndex.ts'
import { openScenarioLibrary, type Scenario, type ScenarioLibrary } from './scenario/ScenarioLibrary.ts'
import type { FileStorage } from './store/file/FileStorage.ts'
import { LocalStore } from './store/LocalStore.ts'
import { isUnchangedSinceLoad, stateWithNewLoad, type State } from './store/State.ts'
import type { Store } from './store/Store.ts'
import { type Simulation, createState } from './Simulation.ts'
import { UserError, using } from './lib/UserError.ts'
import { loadChecks } from './scenario/onDemand.ts'
import { loadYaml, loadFaker } from './lib/onDemand.ts'

/** A listening simulator. */
export interface RunningSimulator {
  /** `http://127.0.0.1:4010` */
  url: string
  simulation: Simulation
  /** How an existing state was treated; undefined if there was none, or it was identical to the scenario */
  found:
    | { kind: 'resumed' }
    | { kind: 'joined' }
    | { kind: 'replaced'; scenario: string; backup: string }
    | undefined
  /** Makes the health check fail and closes each connection after its next response. Requests are still handled */
  drain: () => void
  /** Finishes pending requests, writes pending changes, and releases port and file. Can be called repeatedly */
  close: () => Promise<void>
}

const defaultScenario = 'default'

/** Assembles and starts a simulator. No other code does. Without a shared `store`, the state is local. */
export async function startServer(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  checkOptions(options)
  checkNames(options)
  const { port = 0, explain = true, logLevel = 'silent' } = options
  const host = (options.host ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1') // as in our own URL
  const address = await resolveAddress(host, options.adminToken)
  const tls = options.tls && checkTls(options.tls)
  const log = pino({ level: logLevel, serializers: logSerializers }, logDestination())
  const contract = await loadContract()
  await checkExamples(contract)
  const { overrides: given, scenario: name, store: storeUrl } = options
  const overrides =
    given === undefined ? undefined : await using('overrides', () => loadOverrides(given, contract))
  const refused = new RefusedRequests(log)
  const checkRequest = createGuards(options, contract, refused)
  const library = await using('scenarios', () =>
    openScenarioLibrary(contract, options.scenarios, options.assumptions),
  )
  const dependencies = { contract, library, log }
  const scenario = name === undefined ? undefined : await using('scenario', () => findScenario(library, name))
  // Opening the state may replace it, so the port is checked first.
  if (port !== 0) await tryPort(port, address)
  const { store, found } = await (storeUrl === undefined
    ? using('db', () => openLocal(options, scenario, dependencies))
    : using('store', () => openShared(storeUrl, options, scenario, dependencies)))
  try {
    if (log.isLevelEnabled('warn')) logRequests(store, log)
    const stopping = transferableAbortController()
    setMaxListeners(0, stopping.signal) // no limit on waiting requests
    const isEncrypted = tls !== undefined
    const fixed = { contract, library, store, log, refused, explain, overrides, isEncrypted, stopping }
    const simulation: Simulation = { ...fixed, isDraining: false }
    const app = await createApp(simulation, checkRequest)
    const onRefused = refused.add.bind(refused)
    const listening = await listen(expressServer(app, limits, tls), app, {
      port,
      address,
      host,
      onRefused,
    })
    const close = async (): Promise<void> => {
      stopping.abort()
      await listening.close()
      await store.close()
    }
    let closing: Promise<void> | undefined
    warmUp(simulation).catch((error: unknown) => log.error({ err: error }, 'the contract cannot be compiled'))
    return {
      url: listening.url,
      simulation,
      found,
      drain: () => {
        simulation.isDraining = true
      },
      close: () => (closing ??= close()),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Dependencies {
  contract: Contract
  library: ScenarioLibrary
  log: Logger
}

interface OpenedStore {
  store: Store
  found: RunningSimulator['found']
}

/** Opens a local state: from the file if it has one, otherwise from a scenario. */
async function openLocal(
  { db, acceptEdits = false, journal = 1000 }: SimulatorOptions,
  scenario: Scenario | undefined,
  { contract, library, log }: Dependencies,
): Promise<OpenedStore> {
  const file = db === undefined ? undefined : await openFile(db, acceptEdits, contract, log)
  try {
    const resumed = scenario ? undefined : file?.savedState
    const state = resumed ?? (await createState(scenario ?? (await library.load(defaultScenario))))
    const found = await backUpIfReplaced(file, scenario)
    return { store: await LocalStore.open(state, { contract, journal, storage: file }), found }
  } catch (error) {
    await file?.close()
    throw error
  }
}

async function openFile(
  path: string,
  acceptsEdits: boolean,
  { operations }: Contract,
  log: Logger,
): Promise<FileStorage> {
  const { openFileStorage } = await import('./store/file/FileStorage.ts')
  const accept = async (edited: unknown): Promise<State> =>
    stateWithNewLoad(await (await loadChecks()).acceptEdits(edited, operations))
  return openFileStorage(path, {
    warn: (message) => log.warn(message),
    acceptEdits: acceptsEdits ? accept : undefined,
  })
}

/** Opens a shared state in Redis; loads a scenario if there is none. */
async function openShared(
  given: string,
  { storePrefix: prefix = 'proxysim', journal = 1000, assumptions, db }: SimulatorOptions,
  scenario: Scenario | undefined,
  { contract, library, log }: Dependencies,
): Promise<OpenedStore> {
  if (db !== undefined)
    throw new UserError('The state is either shared (store) or in a file (db).', {
      advice: 'Set only one of them.',
    })
  const url = given.replace(/^[a-z]+:/i, (scheme) => scheme.toLowerCase())
  if (!isStoreUrl(url))
    throw new UserError('The store URL is invalid.', {
      advice:
        'Use redis://HOST:PORT[/DB], rediss://HOST:PORT[/DB] or unix:///PATH[?db=DB]. DB is a database number. Leave out other parameters, and write a percent sign as %25.',
    })
  const initial = scenario ?? (await library.load(defaultScenario))
  const { RedisStore } = await import('./store/redis/RedisStore.ts')
  const warn = (message: string): void => log.warn(message)
  const { store, joined } = await RedisStore.open({ url, prefix, contract, journal, assumptions, warn }, () =>
    createState(initial),
  )
  return { store, found: joined ? { kind: 'joined' } : undefined }
}

/** Whether a URL is a store's and has no parts that would be ignored. Credentials for a socket are query parameters. */
function isStoreUrl(url: string): boolean {
  const pattern =
    /^(?:rediss?:\/\/[^/?#]+(?:\/\d*)?|unix:\/\/\/[^?#]+(?:\?(?:&|db=\d+|username=[^&#]*|password=[^&#]*)*)?)$/
  return URL.canParse(url) && pattern.test(url) && (!url.includes('%') || decodeSegment(url) !== url)
}

/** Backs up the file's state if a scenario is about to replace it. */
async function backUpIfReplaced(
  file: FileStorage | undefined,
  scenario: Scenario | undefined,
): Promise<RunningSimulator['found']> {
  if (!file?.savedState) return undefined
  if (!scenario) return { kind: 'resumed' }
  if (isUnchangedSinceLoad(file.savedState, scenario.document)) return undefined
  return { kind: 'replaced', scenario: file.savedState.scenario.name, backup: file.backUp() }
}

function findScenario(library: ScenarioLibrary, name: string): Promise<Scenario> {
  return isFilePath(name) ? library.loadFile(name) : library.load(name)
}

/** Milliseconds between two steps of the warm-up, so that requests are handled first. */
const warmUpPause = 5

const laterCode = [loadLibrary, loadChecks, loadYaml, loadFaker]

/** Loads all code that later calls need, because a newer build may replace `dist` while this process runs. */
export async function loadLaterCode(): Promise<void> {
  for (const load of laterCode) await load()
}

/** Loads the remaining code, and compiles the operations one by one. Requests are handled between these steps. */
async function warmUp({ contract, stopping }: Simulation): Promise<void> {
  const steps = [
    ...laterCode,
    ...contract.operations.map((operation) => async () => (await getValidator(contract)).prepare(operation)),
  ]
  for (const step of steps) {
    await sleep(warmUpPause, undefined, { ref: false })
    if (stopping.signal.aborted) return
    await step()
  }
}
