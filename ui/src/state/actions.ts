import { isMissingField } from '../../../src/lib/Issue.ts'
import { accountPath, admin, accountQuery, isLockedOut, describeNoResponse, Refusal } from '../lib/admin.ts'
import { formatEvent } from '../lib/due.ts'
import { formatFault, isExhausted } from '../lib/faults.ts'
import { formatDateTime, pluralize } from '../lib/format.ts'
import { browserStorage } from '../lib/storage.ts'
import type { Issue, JournalEntry, Patch, Snapshot, World } from '../lib/types.ts'
import { resync } from './live.ts'
import { getState, setState, type Toast } from './store.ts'
import { syncAccount, syncSnapshots } from './sync.ts'

type Action = () => Promise<unknown>

let lastId = 0

/** Shows a toast instead of the previous one. Toasts of successful actions disappear after some seconds. */
export function showToast(kind: Toast['kind'], text: string, options: Partial<Toast> = {}): void {
  const id = ++lastId
  setState({ toast: { id, kind, text, details: [], ...options } })
  if (kind === 'done') setTimeout(() => dismiss(id), options.undo ? 20_000 : 5000)
}

export function dismiss(id: number): void {
  if (getState().toast?.id === id) setState({ toast: undefined })
}

/** Runs an action that may be refused. @returns the refusal, if any */
export async function catchRefusal(action: Action): Promise<Refusal | undefined> {
  try {
    await action()
    return undefined
  } catch (error) {
    if (isLockedOut(error)) setState({ needsToken: true })
    if (error instanceof Refusal) return error
    return new Refusal(0, describeNoResponse(error))
  }
}

/** Runs an action that may be refused, and shows a refusal as a toast. @returns whether it succeeded */
export async function attempt(action: Action, done?: string, options: Partial<Toast> = {}): Promise<boolean> {
  const refusal = await catchRefusal(action)
  if (refusal) showToast('failed', refusal.message, { details: refusal.details.map(formatIssue) })
  else if (done !== undefined) showToast('done', done, options)
  return refusal === undefined
}

/** `status: "Actve" is not one of …` */
export function formatIssue({ path, message }: Issue): string {
  return path && !isMissingField({ message }) ? `${path.split('.').at(-1)}: ${message}` : message
}

const getNameKey = (id: string, time: string) => `proxysim-snapshot ${id} ${time}`

/** The simulator only numbers its snapshots, so this browser stores their names. */
export function getSnapshotName({ id, time }: Snapshot): string {
  return id === beforeLoad
    ? 'Before the last load or reset'
    : (browserStorage.get(getNameKey(id, time)) ?? id)
}

/** Id of the snapshot that the simulator takes before a load or reset */
const beforeLoad = 'before-load'

export async function takeSnapshot(name: string): Promise<Snapshot> {
  const snapshot = await admin<Snapshot>('POST', '/snapshots')
  if (name !== '') browserStorage.set(getNameKey(snapshot.id, snapshot.time), name)
  await syncSnapshots()
  return snapshot
}

/**
 * Changes the state, and shows a toast.
 * @param undoPoint if set, a snapshot with this name is taken first, and the toast offers Undo
 * @returns the reason if the change was refused, to be shown at its field
 */
export async function changeState(
  action: Action,
  done: string | (() => string | Pick<Toast, 'text' | 'details'>),
  undoPoint?: string,
): Promise<string | undefined> {
  let snapshot: Snapshot | undefined
  const refusal = await catchRefusal(async () => {
    if (undoPoint !== undefined) snapshot = await takeSnapshot(undoPoint)
    await action()
    await (undoPoint === undefined ? syncAccount() : resync())
  })
  if (refusal) return refusal.details.map(formatIssue).join('; ') || refusal.message
  const id = snapshot?.id
  const said = typeof done === 'string' ? done : done()
  const { text, details } = typeof said === 'string' ? { text: said, details: [] } : said
  showToast('done', text, { details, ...(id !== undefined && { undo: () => undoTo(id) }) })
  return undefined
}

/** Takes a snapshot, then changes the state. Shows a refusal as a toast. @returns whether it succeeded */
export async function withUndo(
  undoPoint: string,
  action: Action,
  done: string | (() => string),
): Promise<boolean> {
  const reason = await changeState(action, done, undoPoint)
  if (reason !== undefined) showToast('failed', reason)
  return reason === undefined
}

/** Restores a snapshot. */
export function restore(id: string, done: string): Promise<boolean> {
  return withUndo('Before restoring a snapshot', () => admin('POST', `/snapshots/${id}/restore`), done)
}

async function undoTo(id: string): Promise<boolean> {
  return attempt(async () => {
    await admin('POST', `/snapshots/${id}/restore`)
    await resync()
  }, 'Undone.')
}

/** Loads a scenario or resets the current one. The simulator takes the snapshot for Undo. */
export function replaceState(path: string, done: string): Promise<boolean> {
  const action = async () => {
    await admin('POST', path)
    await resync()
  }
  return attempt(action, done, { undo: () => undoTo(beforeLoad) })
}

/** Patches the chosen account. @returns the reason if it was refused */
export function patchWorld(patch: Patch, done: string): Promise<string | undefined> {
  return changeState(() => admin('PATCH', accountPath(getState().account ?? ''), patch), done)
}

/**
 * Advances the chosen account's clock, and says what happened meanwhile. Only Undo moves it back.
 * @returns the reason if it was refused
 */
export function moveClock(to: { by: string } | { now: string }): Promise<string | undefined> {
  const account = accountQuery(getState().account)
  const known = new Set(getState().world?.history.map(identifyEvent))
  return changeState(
    () => ('by' in to ? admin('POST', `/clock/advance${account}`, to) : admin('PUT', `/clock${account}`, to)),
    () => {
      const { clock, history = [] } = getState().world ?? {}
      const details = history.filter((event) => !known.has(identifyEvent(event))).map(formatEvent)
      const time = `${formatDateTime(Date.parse(clock?.now ?? ''))} UTC`
      const changes = details.length > 0 ? ` ${pluralize(details.length, 'change')} meanwhile:` : ''
      return { text: `Clock advanced to ${time}.${changes}`, details }
    },
    'Before advancing the clock',
  )
}

function identifyEvent({ id, at }: World['history'][number]): string {
  return `${id} ${at}`
}

/** Freezes or resumes the clock, or sets its rate. @returns the reason if it was refused */
export function setClock(setting: Patch, done: string): Promise<string | undefined> {
  return changeState(() => admin('PUT', `/clock${accountQuery(getState().account)}`, setting), done)
}

/** Rewinds the account of a request to just before it, so that the client can repeat it. */
export function rewind({ id, account }: JournalEntry): Promise<boolean> {
  const describe = () => {
    const { account: chosen, world } = getState()
    const active = (chosen === account && world?.faults.filter((one) => !isExhausted(one))) || []
    const faults = active.length > 0 ? ` Active faults: ${active.map(formatFault).join('; ')}.` : ''
    return `Account ${account} is as it was before #${id}.${faults} Run your client again.`
  }
  return withUndo(`Before rewinding to #${id}`, () => admin('POST', `/requests/${id}/rewind`), describe)
}
