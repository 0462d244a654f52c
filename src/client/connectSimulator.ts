import { ControlPlane } from './ControlPlane.ts'
import { createHandle } from './createHandle.ts'
import type { StartedSimulator } from './SimulatorHandle.ts'

/**
 * Connects to a running simulator. `close()` and `await using` leave it running, as this handle didn't start it.
 * @param options `adminToken`: the one it was started with, if any
 * @throws UserError (`ERR_PROXYSIM_UNREACHABLE`) if no simulator answers at the URL, SimulatorError (401) if the token
 * is wrong
 * @example
 * await using sim = await connectSimulator('http://127.0.0.1:4010')
 */
export async function connectSimulator(
  url: string | URL,
  options: { adminToken?: string } = {},
): Promise<StartedSimulator> {
  const handle = await createHandle(new ControlPlane(url, options.adminToken))
  const close = async (): Promise<void> => {}
  return { ...handle, close, [Symbol.asyncDispose]: close }
}
