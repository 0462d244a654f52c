import { ControlPlane } from './ControlPlane.ts'
import { createHandle } from './createHandle.ts'
import { remotePasswords } from './Passwords.ts'
import type { SimulatorHandle } from './SimulatorHandle.ts'

/**
 * The handle on a simulator that runs already.
 * @param options `adminToken`: the one that it was started with, if any
 * @throws UserError (`ERR_PROXYSIM_UNREACHABLE`) if none answers there, SimulatorError (401) if the token is not its
 * @example
 * const sim = await connectSimulator('http://127.0.0.1:4010')
 */
export async function connectSimulator(
  url: string,
  options: { adminToken?: string } = {},
): Promise<SimulatorHandle> {
  const plane = new ControlPlane(url, options.adminToken)
  const passwords = remotePasswords(plane)
  await passwords.learn()
  return createHandle(plane, passwords)
}
