import { ControlPlane } from './ControlPlane.ts'
import { createHandle } from './createHandle.ts'
import { remotePasswords } from './Passwords.ts'
import type { SimulatorHandle } from './SimulatorHandle.ts'

/**
 * Connects to a running simulator.
 * @param options `adminToken`: the one it was started with, if any
 * @throws UserError (`ERR_PROXYSIM_UNREACHABLE`) if no simulator answers at the URL, SimulatorError (401) if the token
 * is wrong
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
