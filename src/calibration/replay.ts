import { redacted } from '../journal/redaction/redacted.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { StickySession, World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Answer, Credentials, Exchange } from './Exchange.ts'
import { doubtsOf } from './doubts.ts'
import type { Judge, OurAnswer } from './Judge.ts'
import { compare, readAnswer, type Difference, type Parts, type ReadAnswer } from './parts.ts'
import type { Sight } from './sights/Sight.ts'
import { changesByItself, listedIn, recordIn, setBy, sightsOf, type Listed } from './sights/sights.ts'
import { sessionOf } from './sights/stickySights.ts'
import { usageOf } from './startingWorld.ts'
import { idsOf, isSet, refusedUpdate, survey, type Survey } from './survey.ts'
import { anyRecord, plenty, possibleWorlds } from './unseen.ts'

/** The result of replaying one exchange. */
export interface Step {
  ours: OurAnswer
  parts: Parts
  /** What still differs once generated values are bound */
  differences: Difference[]
  /** It shows something of the world for the first time, which proves nothing */
  isFirstSight: boolean
  /** It differs, but with these changes, which fit everything seen, the world would respond as the service did */
  explanation: readonly WorldChange[] | undefined
  /** It is the same, but depends on a record that was never seen, so this may be chance */
  isUnseen: boolean
}

/** Exchanges with their responses, split into parts. */
export interface ReadExchanges {
  exchanges: readonly Exchange[]
  real: readonly ReadAnswer[]
}

/** A recording with everything derived from it. */
export interface Recording extends ReadExchanges {
  sights: readonly Sight[][]
  /** What is in doubt at each exchange */
  doubts: readonly ReadonlySet<string>[]
  survey: Survey
  /** Splits a response into parts; cached */
  read: (exchange: Exchange, answer: Answer) => ReadAnswer
}

export function readRecording(exchanges: readonly Exchange[]): Recording {
  const known = new Map<string, ReadAnswer>()
  const read = ({ operation, path }: Exchange, answer: Answer): ReadAnswer => {
    const by = operation.schema['x-ordered-by']
    const key = `${operation.operationId} ${typeof by === 'string' ? path[by] : ''} ${answer.status} ${answer.type} ${answer.body}`
    let found = known.get(key)
    if (!found) known.set(key, (found = readAnswer(operation, path, answer)))
    return found
  }
  const doubts = doubtsOf(exchanges)
  return {
    exchanges,
    real: exchanges.map((exchange) => read(exchange, exchange.response)),
    sights: exchanges.map(sightsOf),
    doubts,
    survey: survey(exchanges, doubts),
    read,
  }
}

/** The journal of a simulator has a mark in place of the password: nobody knows whether it was valid. */
function isRequestHidden({ request: { value } }: Exchange): boolean {
  return isObject(value) && value['password'] === redacted
}

function lacksCredentials(credentials: Credentials): boolean {
  return credentials.form === 'none' || (credentials.form === 'basic' && !credentials.isGood)
}

export interface Hypothesis {
  readings: Readings
  /** Seconds */
  interval: number
  instants: readonly Instant[]
}

/** Replays a recording against the simulator under one hypothesis. */
export class Replay {
  readonly #judge: Judge
  readonly #recording: Recording
  readonly #hypothesis: Hypothesis
  /** Generated values that are bound already; at first, those of the starting world */
  readonly #bound: Set<string>
  /** Paths that exchanges have set so far */
  readonly #set = new Set<string>()
  /** Paths that the service set and the simulator refused to: the next sight of them is adopted */
  readonly #open = new Set<string>()
  /** Paths of records that appeared during the recording, as far as they were seen */
  readonly #seen = new Set<string>()
  /** What is in doubt at this exchange: its next sight is adopted */
  #doubts: ReadonlySet<string> = new Set()
  /** Sessions seen so far; a new one was opened by traffic */
  readonly #sessions = new Set<string>()
  /** Recorded values in place of generated ones that the world can't hold, by where they occur */
  readonly #standIns = new Map<string, unknown>()

  constructor(judge: Judge, recording: Recording, hypothesis: Hypothesis) {
    this.#judge = judge
    this.#recording = recording
    this.#hypothesis = hypothesis
    this.#bound = new Set(recording.survey.facts.keys())
  }

  /** @param world as at the start; it is changed */
  async run(world: World, tick: () => Promise<void> = async () => {}): Promise<Step[]> {
    await this.#start(world)
    const steps: Step[] = []
    for (const i of this.#recording.exchanges.keys()) {
      steps.push(await this.#step(i))
      await tick()
    }
    return steps
  }

  /**
   * The credit at the start, derived from its first sight and from what earlier orders took.
   * @param world has `plenty` of it
   */
  async creditAtStart(world: World, seenAt: number): Promise<number> {
    await this.#start(world)
    for (let i = 0; i < seenAt; i++) await this.#step(i)
    const seen = this.#recording.sights[seenAt]?.find(({ path }) => path === 'credit')?.value
    return Math.round((Number(seen) + plenty - this.#judge.world.credit) * 100) / 100
  }

  /** Adds facts that a scenario can't express. */
  async #start(world: World): Promise<void> {
    const { readings, interval } = this.#hypothesis
    await this.#judge.load(world)
    this.#judge.patch({ assumptions: readings, limits: { updateListInterval: interval } })
    const sights = [...this.#recording.survey.facts]
      .filter(([path]) => /^(?:invoices\/\d+\/date_\w+|services\/\d+\/(?:bindedip|ip_count))$/.test(path))
      .map(([path, value]) => ({ path, value }))
    this.#show(sights.filter(({ path }) => this.#record(path) !== undefined))
    this.#judge.mark()
  }

  async #step(i: number): Promise<Step> {
    const exchange = this.#recording.exchanges[i] as Exchange
    const real = this.#recording.real[i] as ReadAnswer
    const sights = this.#recording.sights[i] as Sight[]
    const at = this.#hypothesis.instants[i] as Instant
    const judge = this.#judge
    const sets = setBy(exchange)
    this.#doubts = this.#recording.doubts[i] as ReadonlySet<string>
    this.#bind(exchange, sights, at, i)
    judge.mark()
    const ours = await judge.answer(exchange, at)
    const { parts } = this.#recording.read(exchange, ours)
    const differences = compare(parts, real.parts)
      .filter((one) => !this.#isBound(exchange, sets, sights, one))
      // Of a shape that isn't documented, only what both have is compared.
      .filter((one) => !real.isFree || (one.real !== undefined && one.ours !== undefined))
    // A failure of our own says nothing about the service.
    const isMoot = isRequestHidden(exchange) || ours.status >= 500 || this.#mayBeOfAnother(exchange)
    const isUnexplained = this.#recording.survey.unexplained.has(i)
    const isUnseen = differences.length === 0 && (isMoot || isUnexplained || this.#isOfUnseen(exchange, ours))
    let explanation: Step['explanation']
    if (differences.length > 0) {
      explanation = isMoot ? [] : await this.#explanationOf(exchange, real, at, differences)
      await this.#restore(exchange, at)
    }
    this.#catchUp(exchange, sets, ours, differences.length > 0, i)
    const isFirstSight = this.#recording.survey.firstSights.has(i)
    return { ours, parts, differences, isFirstSight, explanation, isUnseen }
  }

  /** Whether an exchange is about a record of which nothing is known, not even whether it exists. */
  #isOfUnseen(exchange: Exchange, ours: OurAnswer): boolean {
    if (ours.status === 401 || ours.type === 'text/plain') return false
    const record = recordIn(exchange)
    return record !== undefined && record !== '' && !this.#isKnown(record)
  }

  /** Whether an exchange that may need no credentials, and had none, is about a record that this account doesn't have. */
  #mayBeOfAnother(exchange: Exchange): boolean {
    const { operation, request, response } = exchange
    const record = recordIn(exchange)
    return (
      operation.authOptionalWhen !== undefined &&
      lacksCredentials(request.credentials) &&
      response.status === 200 &&
      record !== undefined &&
      this.#record(record) === undefined
    )
  }

  /** Copies generated values, and those that change by themselves, into our world before it responds. */
  #bind(exchange: Exchange, sights: readonly Sight[], at: Instant, i: number): void {
    const ids = idsOf(exchange)
    if (ids) this.#judge.patch({ next: ids })
    this.#show(
      sights.filter(({ path, implied, generated }) => {
        if (this.#appears(path, i) && (!implied || path.split('/').length === 2)) {
          this.#seen.add(path)
          this.#bound.add(path)
          return true
        }
        if (implied) return false
        if (this.#doubts.has(path)) return true
        if (changesByItself(path)) return this.#record(path) !== undefined
        if (isSet(path, this.#open)) return true
        if (!generated || this.#bound.has(path) || this.#record(path) === undefined) return false
        this.#bound.add(path)
        return true
      }),
    )
    for (const [id, next] of refusedUpdate(exchange)) {
      const path = `services/${id}/list_updated_at`
      if (!this.#doubts.has(path) && !this.#appears(path, i)) continue
      this.#seen.add(path)
      this.#show([{ path, value: instantOf(next - this.#hypothesis.interval * 1000) }])
    }
    if (exchange.operation.operationId === 'listStickySessions') this.#openSessions(exchange, at)
  }

  /** Whether a path is in a record that appeared during the recording, and neither seen nor set since. */
  #appears(path: string, i: number): boolean {
    const record = path.split('/', 2).join('/')
    const since = this.#recording.survey.appeared.get(record)
    return since !== undefined && since <= i && !this.#seen.has(path) && !isSet(path, this.#set)
  }

  #record(path: string): unknown {
    const [collection = '', id = ''] = path.split('/')
    const records = (this.#judge.world as unknown as Record<string, Record<string, unknown> | undefined>)[
      collection
    ]
    return records && Object.hasOwn(records, id) ? records[id] : undefined
  }

  /** No call of the API opens sessions: a new one was opened by traffic. */
  #openSessions({ path: { id = '' }, response }: Exchange, at: Instant): void {
    const service = this.#judge.world.services.get(id)
    if (!Array.isArray(response.value) || service?.product_type !== 'ppr') return
    this.#seen.add(`services/${id}/sticky/sessions`)
    const found = response.value.map(sessionOf).filter((one) => one !== undefined)
    const sticky = service.sticky ?? { ttl: found[0]?.ttl ?? 10, sessions: [] }
    const isSame = (a: StickySession, b: StickySession): boolean =>
      a.server === b.server && a.session === b.session
    const fresh = found
      .map(({ session }) => session)
      .filter((session) => {
        const key = `${id}\n${session.server}\n${session.session}`
        const isNew = !this.#sessions.has(key) && !sticky.sessions.some((one) => isSame(one, session))
        this.#sessions.add(key)
        return isNew
      })
    const isTtlKnown = this.#isKnown(`services/${id}/sticky/ttl`)
    if (fresh.length === 0 && isTtlKnown) return
    const ttl = isTtlKnown || !found[0] ? sticky.ttl : found[0].ttl
    // The clock is only known to the second.
    const sessions = [...sticky.sessions, ...fresh].filter(({ since }) => Date.parse(since) <= at + 1000)
    this.#judge.patch({ services: { [id]: { sticky: { ttl, sessions } } } })
  }

  /** Whether a difference doesn't count, as the service generated the value, now or earlier. */
  #isBound(
    { request }: Exchange,
    sets: readonly string[],
    sights: readonly Sight[],
    found: Difference,
  ): boolean {
    if (!found.generated) return false
    // A value from the request isn't generated.
    const isAsked = isObject(request.value) && Object.values(request.value).includes(found.ours)
    if (sets.length > 0) return !isAsked
    const field = found.path.slice(found.path.lastIndexOf('.') + 1)
    if (sights.some((sight) => sight.generated && sight.path.endsWith(`/${field}`))) return false
    const place = `${request.url} ${found.path} ${String(found.ours)}`
    const known = this.#standIns.has(place) ? this.#standIns.get(place) : found.real
    this.#standIns.set(place, found.real)
    return known === found.real
  }

  /** A state of what was never seen that would make us respond as the service did. */
  async #explanationOf(
    exchange: Exchange,
    real: ReadAnswer,
    at: Instant,
    differences: readonly Difference[],
  ): Promise<WorldChange[] | undefined> {
    // Generated values that are bound already.
    const bound = new Set(differences.flatMap(({ path, generated }) => (generated ? [path] : [])))
    // What our own response changed is not what was there before.
    this.#judge.undo()
    const worlds = possibleWorlds(exchange, this.#judge.world, at, (path) => this.#isKnown(path))
    for (const changes of worlds) {
      this.#judge.undo()
      for (const change of changes) this.#judge.patch(change)
      const ours = await this.#judge.answer(exchange, at)
      const { parts } = this.#recording.read(exchange, ours)
      if (compare(parts, real.parts).every(({ path, generated }) => generated && !bound.has(path)))
        return changes
    }
    return undefined
  }

  /** Restores the world that our own response left. */
  async #restore(exchange: Exchange, at: Instant): Promise<void> {
    this.#judge.undo()
    await this.#judge.answer(exchange, at)
  }

  #isKnown(path: string): boolean {
    const { facts, whole } = this.#recording.survey
    if (this.#doubts.has(path)) return false
    if (path === 'credit') return facts.has(path) // an order takes from it, whatever it was
    if (facts.has(path) || this.#seen.has(path)) return true
    const [collection = '', id = '', field] = path.split('/')
    if (isSet(path, this.#set))
      // An ordered service has the type of its product, which no order shows.
      return (
        field !== 'product_type' ||
        this.#isKnown(`products/${this.#judge.world.services.get(id)?.product}/${field}`)
      )
    if (collection === 'products' || id === '') return false
    return field === undefined && whole.has(collection) && !this.#doubts.has(collection)
  }

  /** Brings our world in line with the service's, so that a difference is reported once. */
  #catchUp(exchange: Exchange, sets: readonly string[], ours: OurAnswer, differs: boolean, i: number): void {
    const { operation, path, request, response } = exchange
    const changes = operation.method !== 'GET' || operation.operationId.includes('ticky')
    if (changes && response.status !== 200 && ours.status === 200) this.#judge.undo()
    if (response.status === 200 && ours.status !== 200) {
      for (const one of sets) this.#open.add(one)
      // The request says what was bound: no sight is needed for that.
      const bound = sets.find((one) => one.endsWith('/bindedip'))
      if (bound !== undefined && isObject(request.value))
        this.#show([{ path: bound, value: request.value['setip'] }])
    }
    for (const one of sets) {
      this.#set.add(one)
      this.#bound.delete(one)
    }
    const ids = idsOf(exchange)
    if (ids) this.#bound.add(`services/${ids.service}/orderid`)
    // A password from the request isn't generated.
    if (operation.operationId === 'updateService')
      for (const one of sets) if (one.endsWith('/password')) this.#bound.add(one)
    if (operation.operationId === 'rotateStickySession' && ours.status === 200)
      this.#adoptSession(path['id'] ?? '', response.value)
    if (!differs || sets.length > 0 || lacksCredentials(request.credentials)) return
    const shown = (this.#recording.sights[i] as Sight[]).filter(({ implied }) => !implied)
    this.#adopt(shown, listedIn(exchange))
  }

  #adoptSession(id: string, value: unknown): void {
    const [found, service] = [sessionOf(value)?.session, this.#judge.world.services.get(id)]
    if (!found || !service?.sticky) return
    const sessions = service.sticky.sessions.map((one) =>
      one.server === found.server && one.session === found.session ? { ...one, ip: found.ip } : one,
    )
    this.#judge.patch({ services: { [id]: { sticky: { sessions } } } })
  }

  /** Adopts everything that the service shows. */
  #adopt(sights: readonly Sight[], list: Listed | undefined): void {
    this.#show(sights)
    if (list === undefined || list === 'products') return
    const there = new Set(sights.map(({ path }) => path.split('/')[1]))
    const gone = Object.keys(this.#judge.world[list]).filter((id) => !there.has(id))
    if (gone.length > 0) this.#judge.patch({ [list]: Object.fromEntries(gone.map((id) => [id, null])) })
  }

  /** Writes values to their paths in our world, creating missing records. */
  #show(sights: readonly Sight[]): void {
    for (const { path, value } of sights) {
      const [collection = '', id = '', field, ...below] = path.split('/')
      if (path === 'credit') this.#judge.patch({ credit: Number(value) })
      else if (!(collection in anyRecord)) continue
      else if (field === undefined) {
        const isThere = this.#record(path) !== undefined
        if (value === false && isThere) this.#judge.patch({ [collection]: { [id]: null } })
        if (value === true && !isThere)
          this.#judge.patch({
            [collection]: { [id]: anyRecord[collection as keyof typeof anyRecord](id, this.#judge.world) },
          })
      } else if (this.#record(path) !== undefined) this.#showField(collection, id, field, below, value)
    }
  }

  #showField(collection: string, id: string, field: string, below: readonly string[], value: unknown): void {
    const put = (record: object): void => this.#judge.patch({ [collection]: { [id]: record } })
    if (field === 'usage') {
      const { usage } = this.#judge.world.services.get(id) ?? {}
      put({ usage: null })
      if (value === 'none') return
      const shown = { ...usage, [below[0] as string]: value }
      const isRate = below[0] === 'rate'
      const sum = Object.values(usage?.stats ?? {}).reduce((all, one) => all + one, 0)
      if (isRate && sum !== value) delete (shown as { stats?: unknown }).stats
      put({ usage: usageOf(shown) })
    } else if (field === 'sticky') {
      const { sticky } = this.#judge.world.services.get(id) ?? {}
      put({ sticky: { ...(!sticky && { ttl: 10, sessions: [] }), [below[0] as string]: value } })
    } else if (field === 'bindedip') put({ bindedip: value ?? '' })
    else put({ [field]: value ?? null })
  }
}
