import type { Command } from 'commander'
import type { SimulatorHandle } from '../client/SimulatorHandle.ts'
import type { ControlPlane } from '../client/ControlPlane.ts'
import { login } from './arguments.ts'
import { settable } from './variables.ts'

/** Where `proxysim` listens by default */
const defaultUrl = 'http://127.0.0.1:4010'

export interface RemoteFlags {
  url: string
  adminToken?: string
  json?: boolean
}

export interface AccountFlags extends RemoteFlags {
  account?: string
}

/** The flags of commands that drive a running simulator. */
export function withRemoteFlags(command: Command): Command {
  return command
    .addOption(settable('--url <url>', 'address of the running simulator').default(defaultUrl))
    .addOption(settable('--admin-token <token>', 'the admin token it was started with'))
    .option('--json', 'print JSON')
}

/** The same, plus `--account`. */
export function withAccountFlags(command: Command): Command {
  return withRemoteFlags(command).option('--account <login>', 'which account, if there are several', login)
}

/** A handle for the simulator in the flags. Doesn't connect: the first call shows whether it answers. */
export async function createRemote(
  flags: RemoteFlags,
): Promise<{ sim: SimulatorHandle; plane: ControlPlane }> {
  const { ControlPlane: Plane } = await import('../client/ControlPlane.ts')
  const { createHandle } = await import('../client/createHandle.ts')
  const { noPasswords } = await import('../client/Passwords.ts')
  const plane = new Plane(flags.url, flags.adminToken)
  return { sim: createHandle(plane, noPasswords), plane }
}

/** The account in the flags, as an argument for the handle. */
export function scopeOf({ account }: AccountFlags): { account?: string } {
  return account === undefined ? {} : { account }
}

/** The path of a request under `/__admin` */
export function requestPath(id: string): string {
  return `/requests/${encodeURIComponent(id.replace(/^#/, ''))}`
}
