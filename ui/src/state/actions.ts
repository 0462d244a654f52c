import { isMissingField } from '../../../src/lib/Issue.ts'
import { accountPath, admin, forAccount, isLockedOut, Refusal } from '../lib/admin.ts'
import { dateTime } from '../lib/format.ts'
import type { Issue, JournalEntry, Patch, Snapshot } from '../lib/types.ts'
import { resync } from './live.ts'
import { getState, setState, type Toast } from './store.ts'
import { syncAccount, syncSnapshots } from './sync.ts'

let last = 0

/** Shows a toast, which replaces the previous one. A success disappears after a while. */
export function showToast(kind: Toast['kind'], text: string, more: Partial<Toast> = {}): void {
  const id = ++last
  setState({ toast: { id, kind, text, details: [], ...more } })
  if (kind === 'done') setTimeout(() => dismiss(id), more.undo ? 20_000 : 5000)
}

export function dismiss(id: number): void {
  if (getState().toast?.id === id) setState({ toast: undefined })
}

/** Does something that may be refused. @returns why it was refused, for where it was asked for */
export async function refusalOf(doing: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await doing()
    return undefined
  } catch (error) {
    if (isLockedOut(error)) setState({ needsToken: true })
    if (error instanceof Refusal) return error
    return new Refusal(0, `The simulator does not respond (${(error as Error).message}).`)
  }
}

/** Runs an action that may be refused, and shows a refusal as a toast. @returns whether it succeeded */
export async function attempt(
  doing: () => Promise<unknown>,
  done?: string,
  more: Partial<Toast> = {},
): Promise<boolean> {
  const refusal = await refusalOf(doing)
  if (refusal) showToast('failed', refusal.message, { details: refusal.details.map(issueText) })
  else if (done !== undefined) showToast('done', done, more)
  return refusal === undefined
}

/** `status: "Actve" is not one of …` */
export function issueText({ path, message }: Issue): string {
  return path && !isMissingField({ message }) ? `${path.split('.').at(-1)}: ${message}` : message
}

const nameKey = (id: string, time: string) => `proxysim-snapshot ${id} ${time}`

/** The simulator only numbers its snapshots; this browser keeps what each is called. */
export function snapshotName({ id, time }: Snapshot): string {
  return id === beforeLoad ? 'Before the last load or reset' : (localStorage.getItem(nameKey(id, time)) ?? id)
}

/** The snapshot of what the last load or reset replaced */
const beforeLoad = 'before-load'

export async function takeSnapshot(name: string): Promise<Snapshot> {
  const made = await admin<Snapshot>('POST', '/snapshots')
  if (name !== '') localStorage.setItem(nameKey(made.id, made.time), name)
  await syncSnapshots()
  return made
}

/**
 * Changes the state, and tells it.
 * @param keep the name of a snapshot that is taken before, for Undo: of what cannot be taken back otherwise
 * @returns why it was refused, for the field that it was asked for in
 */
export async function change(
  doing: () => Promise<unknown>,
  done: string | (() => string),
  keep?: string,
): Promise<string | undefined> {
  let snapshot: Snapshot | undefined
  const refusal = await refusalOf(async () => {
    if (keep !== undefined) snapshot = await takeSnapshot(keep)
    await doing()
    await (keep === undefined ? syncAccount() : resync())
  })
  if (refusal) return refusal.details.map(issueText).join('; ') || refusal.message
  const id = snapshot?.id
  showToast(
    'done',
    typeof done === 'string' ? done : done(),
    id === undefined ? {} : { undo: () => undoTo(id) },
  )
  return undefined
}

/** Takes a snapshot, then runs an action. Shows a refusal as a toast. @returns whether it succeeded */
export async function destroy(keep: string, doing: () => Promise<unknown>, done: string): Promise<boolean> {
  const reason = await change(doing, done, keep)
  if (reason !== undefined) showToast('failed', reason)
  return reason === undefined
}

/** Puts back the state of a snapshot. */
export function restore(id: string, done: string): Promise<boolean> {
  return destroy('Before a restore', () => admin('POST', `/snapshots/${id}/restore`), done)
}

async function undoTo(id: string): Promise<boolean> {
  return attempt(async () => {
    await admin('POST', `/snapshots/${id}/restore`)
    await resync()
  }, 'Undone.')
}

/** Loads a scenario or resets the present one: the simulator itself keeps what that replaces. */
export function replaceState(path: string, done: string): Promise<boolean> {
  const doing = async () => {
    await admin('POST', path)
    await resync()
  }
  return attempt(doing, done, { undo: () => undoTo(beforeLoad) })
}

/** Patches the chosen account's world. @returns why it was refused */
export function patchWorld(patch: Patch, done: string): Promise<string | undefined> {
  return change(() => admin('PATCH', accountPath(getState().account ?? ''), patch), done)
}

/** Moves the chosen account's clock, which never goes back but by Undo. @returns why it was refused */
export function moveClock(by: { by: string } | { now: string }): Promise<string | undefined> {
  const account = forAccount(getState().account)
  return change(
    () => ('by' in by ? admin('POST', `/clock/advance${account}`, by) : admin('PUT', `/clock${account}`, by)),
    () => `The clock is at ${dateTime(Date.parse(getState().world?.clock.now ?? ''))}.`,
    'Before the clock was moved',
  )
}

/** Freezes or resumes the clock, or sets its rate. @returns why it was refused */
export function setClock(setting: Patch, done: string): Promise<string | undefined> {
  return change(() => admin('PUT', `/clock${forAccount(getState().account)}`, setting), done)
}

/** Takes the account of a request back to just before it. */
export function rewind({ id, account }: JournalEntry): Promise<boolean> {
  return destroy(
    `Before the rewind to #${id}`,
    () => admin('POST', `/requests/${id}/rewind`),
    `${account} is as it was before #${id}.`,
  )
}
