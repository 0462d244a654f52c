import { accountPath, admin, forAccount, isLockedOut, Refusal } from '../lib/admin.ts'
import { dateTime } from '../lib/format.ts'
import type { Issue, JournalEntry, Patch, Snapshot, World } from '../lib/types.ts'
import { resync } from './live.ts'
import { getState, setState, type Toast } from './store.ts'
import { syncAssumptions, syncClock, syncSnapshots, syncTimeline, syncWorld } from './sync.ts'

let last = 0

/** Tells what happened, in place of what was told before. What went well goes away by itself. */
export function tell(kind: Toast['kind'], text: string, more: Partial<Toast> = {}): void {
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

/** The same if there is no better place to tell a refusal. @returns whether it went well */
export async function attempt(
  doing: () => Promise<unknown>,
  done?: string,
  more: Partial<Toast> = {},
): Promise<boolean> {
  const refusal = await refusalOf(doing)
  if (refusal) tell('failed', refusal.message, { details: refusal.details.map(issueText) })
  else if (done !== undefined) tell('done', done, more)
  return refusal === undefined
}

/** `services.5001.status: "Actve" is not one of …` */
export function issueText({ path, message }: Issue): string {
  return path ? `${path}: ${message}` : message
}

/** A refusal in one line, for the field that it is about. */
export function fieldText({ message, details }: Refusal): string {
  return details.length > 0 ? details.map((issue) => issue.message).join('; ') : message
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

/** Puts back the state of a snapshot; undefined: what the last load or reset replaced. What it replaces can be restored too. */
export async function restore(id: string, done: string): Promise<boolean> {
  return destroy('Before a restore', () => admin('POST', `/snapshots/${id}/restore`), done)
}

/** Does something that cannot be taken back otherwise: a snapshot is taken before, for Undo. @returns whether it went well */
export async function destroy(name: string, doing: () => Promise<unknown>, done: string): Promise<boolean> {
  let kept: Snapshot | undefined
  return attempt(
    async () => {
      kept = await takeSnapshot(name)
      await doing()
      await resync()
    },
    done,
    { undo: () => undoTo((kept as Snapshot).id) },
  )
}

async function undoTo(id: string): Promise<boolean> {
  return attempt(async () => {
    await admin('POST', `/snapshots/${id}/restore`)
    setState({ rewound: {} })
    await resync()
  }, 'Undone.')
}

/** Loads a scenario or resets the present one: the simulator itself keeps what that replaces. */
export function replaceState(path: string, done: string): Promise<boolean> {
  return attempt(
    async () => {
      await admin('POST', path)
      await resync()
    },
    done,
    { undo: () => undoTo(beforeLoad) },
  )
}

/** Patches the chosen account's world. @returns why it was refused */
export async function patchWorld(patch: Patch, done: string): Promise<Refusal | undefined> {
  const { account = '' } = getState()
  const refusal = await refusalOf(async () => {
    await admin<World>('PATCH', accountPath(account), patch)
    await Promise.all([syncWorld(), patch['assumptions'] || patch['limits'] ? syncAssumptions() : undefined])
  })
  if (!refusal) tell('done', done)
  return refusal
}

/** The same for a field. @returns why it was refused, in one line */
export async function savePatch(patch: Patch, done: string): Promise<string | undefined> {
  const refusal = await patchWorld(patch, done)
  return refusal && fieldText(refusal)
}

/** Moves the chosen account's clock, which never goes back; Undo restores the state of before. @returns why it was refused */
export async function moveClock(by: { by: string } | { now: string }): Promise<string | undefined> {
  const account = forAccount(getState().account)
  let kept: Snapshot | undefined
  const refusal = await refusalOf(async () => {
    kept = await takeSnapshot('Before the clock was moved')
    if ('by' in by) await admin('POST', `/clock/advance${account}`, by)
    else await admin('PUT', `/clock${account}`, by)
    await Promise.all([syncWorld(), syncTimeline()])
  })
  if (refusal) return fieldText(refusal)
  const now = Date.parse(getState().world?.clock.now ?? '')
  tell('done', `The clock is at ${dateTime(now)}.`, { undo: () => undoTo((kept as Snapshot).id) })
  return undefined
}

/** Freezes or resumes the clock, or sets its rate. @returns why it was refused */
export async function setClock(setting: Patch, done: string): Promise<string | undefined> {
  const refusal = await refusalOf(async () => {
    await admin('PUT', `/clock${forAccount(getState().account)}`, setting)
    await syncClock()
  })
  if (!refusal) tell('done', done)
  return refusal && fieldText(refusal)
}

/** Takes the account of a request back to just before it. */
export async function rewind({ id, account }: JournalEntry): Promise<void> {
  const newest = getState().entries[0]?.id ?? id
  const isDone = await destroy(
    `Before the rewind to #${id}`,
    () => admin('POST', `/requests/${id}/rewind`),
    `${account} is as it was before #${id}.`,
  )
  if (!isDone || account === null) return
  const { rewound } = getState()
  setState({ rewound: { ...rewound, [account]: [...(rewound[account] ?? []), [id, newest]] } })
}

/** Whether a rewind took back what a request did. */
export function isRewound(
  { id, account }: JournalEntry,
  rewound: Record<string, [number, number][]>,
): boolean {
  return account !== null && (rewound[account] ?? []).some(([from, to]) => id >= from && id <= to)
}
