import { accountPath, admin, accountQuery, isLockedOut, describeNoResponse, Refusal } from '../lib/admin.ts'
import { formatEvent } from '../lib/due.ts'
import { formatFault, isExhausted } from '../lib/faults.ts'
import { formatDateTime, pluralize } from '../lib/format.ts'
import type { Issue, JournalEntry, Patch, Snapshot, World } from '../lib/types.ts'
import { resync } from './live.ts'
import { getAccountName, getState, setState, type Toast } from './store.ts'
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

/** `status: Invalid option: …` */
export function formatIssue({ path, message }: Issue): string {
  return path ? `${path.split('.').at(-1)}: ${message}` : message
}

/** Names of the snapshots that this page took. The simulator only numbers them. */
const names = new Map<string, string>()

export function getSnapshotName({ id }: Snapshot): string {
  return id === beforeLoad ? 'Before the last load or reset' : (names.get(id) ?? id)
}

/** Id of the snapshot that the simulator takes before a load or reset */
const beforeLoad = 'before-load'

export async function takeSnapshot(name: string): Promise<Snapshot> {
  const snapshot = await admin<Snapshot>('POST', '/snapshots')
  names.set(snapshot.id, name)
  await syncSnapshots()
  return snapshot
}

type Done = string | (() => string | Pick<Toast, 'text' | 'details'>)

/**
 * Takes a snapshot, changes the state, and shows a toast that offers Undo.
 * @param undoPoint the name of the snapshot
 * @returns the reason if the change was refused, to be shown at its field
 */
export async function changeState(
  undoPoint: string,
  action: Action,
  done: Done,
): Promise<string | undefined> {
  let id = ''
  const refusal = await catchRefusal(async () => {
    id = (await takeSnapshot(undoPoint)).id
    await action()
    await resync()
  })
  if (refusal) return describeRefusal(refusal)
  const said = typeof done === 'string' ? done : done()
  const { text, details } = typeof said === 'string' ? { text: said, details: [] } : said
  showToast('done', text, { details, undo: () => undoTo(id) })
  return undefined
}

function describeRefusal({ details, message }: Refusal): string {
  return details.map(formatIssue).join('; ') || message
}

/** Shows the reason if a change was refused. @returns whether it succeeded */
export async function showRefusal(change: Promise<string | undefined>): Promise<boolean> {
  const reason = await change
  if (reason !== undefined) showToast('failed', reason)
  return reason === undefined
}

/** Changes the state. Shows a refusal as a toast. @returns whether it succeeded */
export function withUndo(...change: Parameters<typeof changeState>): Promise<boolean> {
  return showRefusal(changeState(...change))
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
  const path = accountPath(getState().account ?? '')
  return changeState(`Before: ${done}`, () => admin('PATCH', path, patch), done)
}

/** Adds a fault to the chosen account. Undo removes it. @returns the reason if it was refused */
export async function addFault(fault: Patch, done: string): Promise<string | undefined> {
  let id = 0
  const refusal = await catchRefusal(async () => {
    id = await postFault(fault)
  })
  if (refusal) return describeRefusal(refusal)
  showToast('done', done, { undo: () => attempt(() => deleteFaults(`/${id}`), 'Undone.') })
  return undefined
}

/** Makes the next matching request get a case. */
export function forceResponse(operation: string, respond: string): Promise<boolean> {
  const done = `The next ${operation === '*' ? 'request' : `${operation} request`} will get ${respond}.`
  return showRefusal(addFault({ operation, respond, times: 1 }, done))
}

/** Removes faults. Undo adds them again with their counters. @param path `/ID`, or empty for all */
export function removeFaults(path: string, removed: World['faults'], done: string): Promise<boolean> {
  const addAgain = async () => {
    for (const fault of removed) await postFault({ ...fault })
  }
  return attempt(() => deleteFaults(path), done, { undo: () => attempt(addAgain, 'Undone.') })
}

async function postFault(fault: Patch): Promise<number> {
  const { id } = await admin<{ id: number }>('POST', `/faults${accountQuery(getState().account)}`, fault)
  await syncAccount()
  return id
}

async function deleteFaults(path: string): Promise<void> {
  await admin('DELETE', `/faults${path}${accountQuery(getState().account)}`)
  await syncAccount()
}

/**
 * Advances the chosen account's clock, and says what happened meanwhile. Only Undo moves it back.
 * @returns the reason if it was refused
 */
export function moveClock(to: { by: string } | { now: string }): Promise<string | undefined> {
  const account = accountQuery(getState().account)
  const known = new Set(getState().world?.history.map(identifyEvent))
  return changeState(
    'Before advancing the clock',
    () => ('by' in to ? admin('POST', `/clock/advance${account}`, to) : admin('PUT', `/clock${account}`, to)),
    () => {
      const { clock, history = [] } = getState().world ?? {}
      const details = history.filter((event) => !known.has(identifyEvent(event))).map(formatEvent)
      const time = `${formatDateTime(Date.parse(clock?.now ?? ''))} UTC`
      const changes = details.length > 0 ? ` ${pluralize(details.length, 'change')} meanwhile:` : ''
      return { text: `Clock advanced to ${time}.${changes}`, details }
    },
  )
}

function identifyEvent({ id, at }: World['history'][number]): string {
  return `${id} ${at}`
}

/** Freezes or resumes the clock, or sets its rate. @returns the reason if it was refused */
export function setClock(setting: Patch, done: string): Promise<string | undefined> {
  const path = `/clock${accountQuery(getState().account)}`
  return changeState(`Before: ${done}`, () => admin('PUT', path, setting), done)
}

/** Rewinds the account of a request to just before it, so that the client can repeat it. */
export function rewind({ id, account }: JournalEntry): Promise<boolean> {
  const describe = () => {
    const { account: chosen, accounts, world } = getState()
    const active = (chosen === account && world?.faults.filter((one) => !isExhausted(one))) || []
    const faults = active.length > 0 ? ` Active faults: ${active.map(formatFault).join('; ')}.` : ''
    return `Account ${getAccountName(accounts, account ?? '')} is as it was before #${id}.${faults} Run your client again.`
  }
  return withUndo(`Before rewinding to #${id}`, () => admin('POST', `/requests/${id}/rewind`), describe)
}
