import { SimulatorError } from '../../../src/client/SimulatorError.ts'
import type { Issue } from '../../../src/Issue.ts'
import { isLockedOut } from '../lib/admin.ts'
import { getState, setState, type Notice } from './store.ts'

let last = 0

/** Shows a notice in place of the one before. What went well goes away by itself; later where it can be undone. */
export function tell(kind: Notice['kind'], text: string, more: Partial<Notice> = {}): void {
  const id = ++last
  setState({ notice: { id, kind, text, details: [], ...more } })
  if (kind === 'done') setTimeout(() => dismiss(id), more.undo ? 15_000 : 4000)
}

export function dismiss(id: number): void {
  if (getState().notice?.id === id) setState({ notice: undefined })
}

/** What went well before is no longer the last that happened. It stays if it can be undone. */
export function supersede(): void {
  const { notice } = getState()
  if (notice?.kind === 'done' && !notice.undo) dismiss(notice.id)
}

/** A refusal is about the page that it was told on. */
export function leavePage(): void {
  const { notice } = getState()
  if (notice?.kind === 'failed') dismiss(notice.id)
}

/** Why something was refused: in one line, and each mistake. */
export interface Refusal {
  text: string
  details: readonly Issue[]
}

/** Does something that may be refused. @returns the refusal, to be shown where it was asked for; undefined: it went well */
export async function refusalOf(doing: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await doing()
    return undefined
  } catch (error) {
    supersede()
    if (!(error instanceof SimulatorError))
      return { text: `The simulator does not answer (${(error as Error).message}).`, details: [] }
    if (isLockedOut(error)) setState({ needsToken: true })
    return { text: error.message, details: error.details }
  }
}

/** The same, where there is no better place for a refusal than a notice. @returns whether it went well */
export async function attempt(
  doing: () => Promise<unknown>,
  done?: string,
  more: Partial<Notice> = {},
): Promise<boolean> {
  const refusal = await refusalOf(doing)
  if (refusal) tell('failed', refusal.text, { details: refusal.details.map(detailText) })
  else if (done !== undefined) tell('done', done, more)
  return refusal === undefined
}

/** `services.5001.status: "Actve" is not one of: …` */
export function detailText({ path, message }: Issue): string {
  return path ? `${path}: ${message}` : message
}

/** A refusal under the field that it is about: what is wrong there. */
export function refusalText({ text, details }: Refusal): string {
  return details.length ? details.map(({ message }) => message).join('; ') : text
}
