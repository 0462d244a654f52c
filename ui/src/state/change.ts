import { accountPath, admin, fetchAdmin, forAccount } from '../lib/admin.ts'
import type { JournalEntry, Patch, WorldView } from '../lib/types.ts'
import { resync } from './live.ts'
import { attempt, refusalOf, refusalText, tell, type Refusal } from './notices.ts'
import { getState, setState } from './store.ts'
import { syncClock, syncWorld } from './sync.ts'

type Done = string | ((world: WorldView) => string)

/**
 * Patches the chosen account's world. What is drawn is what the simulator made of it: what a patch removes may have a
 * default.
 * @param done what to say then, which may depend on what was made of it
 * @returns why it was refused, to be told where it was asked for
 */
export async function patchWorld(patch: Patch, done: Done): Promise<Refusal | undefined> {
  const { account = '', changes } = getState()
  let world: WorldView | undefined
  const refusal = await refusalOf(async () => {
    world = await admin<WorldView>('PATCH', accountPath(account), patch)
  })
  if (world) tell('done', typeof done === 'string' ? done : done(world))
  const now = getState()
  if (!world || now.account !== account) return refusal
  // What changed meanwhile may or may not be in it.
  if (now.changes === changes) setState({ world })
  else await attempt(syncWorld)
  return refusal
}

/** The same, for a field. @returns why it was refused, in one line */
export async function savePatch(patch: Patch, done: Done): Promise<string | undefined> {
  const refusal = await patchWorld(patch, done)
  return refusal && refusalText(refusal)
}

/** Sets or advances the chosen account's clock. @returns why it was refused */
export async function changeClock(
  method: 'PUT' | 'POST',
  path: string,
  body: Patch,
  done: string,
): Promise<string | undefined> {
  const refusal = await refusalOf(async () => {
    await admin(method, `${path}${forAccount(getState().account ?? '')}`, body)
    await syncClock()
  })
  if (!refusal) tell('done', done)
  return refusal && refusalText(refusal)
}

/** Puts another state in the place of all: a scenario, the present one anew, a snapshot. */
export function replaceState(path: string, done: string): Promise<boolean> {
  return attempt(
    async () => {
      await admin('POST', path)
      await resync()
    },
    done,
    { undo: !path.startsWith('/snapshots/') },
  )
}

/** Brings back what the last load or reset replaced. */
export function undo(): Promise<boolean> {
  return replaceState('/snapshots/before-load/restore', 'What was replaced is back.')
}

/** Loads a shipped scenario; what it replaces can be brought back. */
export function loadScenario(name: string): Promise<boolean> {
  return replaceState(`/scenarios/${encodeURIComponent(name)}/load`, `${name} is loaded.`)
}

/** Takes the account of a request back to just before it; what is drawn follows by the event that comes. */
export function rewind({ id, account }: JournalEntry): Promise<boolean> {
  return attempt(
    () => admin('POST', `/requests/${id}/rewind`),
    `The world of ${account} is as it was before request ${id}.`,
  )
}

/** A request and the world that it met, as the YAML of a scenario; undefined if that was refused, which is then told. */
export async function readScenario({ id }: JournalEntry): Promise<string | undefined> {
  let text: string | undefined
  await attempt(async () => {
    const reply = await fetchAdmin(`/requests/${id}/repro`, { headers: { accept: 'application/yaml' } })
    text = await reply.text()
  })
  return text
}
