import { AdminError } from '../lib/admin.ts'
import { getState, setState, type Notice } from './store.ts'

let last = 0

/** Shows a notice; what went well goes away by itself. */
export function tell(kind: Notice['kind'], text: string, details: readonly string[] = []): void {
  const id = ++last
  setState({
    notices: [
      ...getState()
        .notices.filter((one) => one.kind === 'failed')
        .slice(-2),
      { id, kind, text, details },
    ],
  })
  if (kind === 'done') setTimeout(() => dismiss(id), 4000)
}

export function dismiss(id: number): void {
  setState({ notices: getState().notices.filter((one) => one.id !== id) })
}

/** Does something that may be refused; a refusal is shown with what was wrong. @returns whether it went well */
export async function attempt(doing: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await doing()
    if (done !== undefined) tell('done', done)
    return true
  } catch (error) {
    if (error instanceof AdminError) {
      if (error.status === 401) setState({ needsToken: true })
      tell('failed', error.message, error.details)
    } else tell('failed', `The simulator does not answer (${(error as Error).message}).`)
    return false
  }
}
