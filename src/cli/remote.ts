import type { AccountSummary, Loaded } from '../admin/shapes.ts'
import type { ControlPlane } from '../client/ControlPlane.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { Command } from 'commander'
import { settable, withAccount } from './flags.ts'

/** Where `proxysim` listens by default */
const defaultUrl = 'http://127.0.0.1:4010'

export interface RemoteFlags {
  url: string
  adminToken?: string
  json?: boolean
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
  return withAccount(withRemoteFlags(command))
}

/** The control plane of the simulator in the flags. The first call shows whether it answers. */
export async function connect({ url, adminToken }: RemoteFlags): Promise<ControlPlane> {
  const { ControlPlane: Plane } = await import('../client/ControlPlane.ts')
  return new Plane(url, adminToken)
}

/** `--account`, as a query. */
export function scopeOf({ account }: RemoteFlags): { query: { account: string | undefined } } {
  return { query: { account } }
}

/** A name as a segment of a path. @throws UserError if it is empty, as the path would be another one */
export function segment(kind: string, name: string): string {
  if (name === '') throw new UserError(`The ${kind} must not be empty.`)
  return encodeURIComponent(name)
}

/** The path of a request under `/__admin` */
export function requestPath(id: string): string {
  return `/requests/${segment('request', id.replace(/^#/, ''))}`
}

/** `Loaded low-funds. Accounts: reseller.` */
export function loadedText(name: string, { accounts }: Loaded, removed: readonly string[] = []): string {
  const gone = removed.length ? ` Removed ${removed.join(', ')}.` : ''
  return `Loaded ${name}. Accounts: ${accounts.join(', ') || 'none'}.${gone}`
}

/**
 * The accounts that a load or a reset removes although no scenario has them: somebody created them.
 * @throws UserError on a terminal without --yes, if there are any
 */
export async function createdAccounts(plane: ControlPlane, isConfirmed = false): Promise<string[]> {
  const accounts = await plane.json<AccountSummary[]>('GET', '/accounts')
  const created = accounts.filter((account) => account.created).map(({ login }) => login)
  if (created.length > 0 && process.stdin.isTTY && !isConfirmed)
    throw new UserError(
      `This removes ${counted(created.length, 'account')} created since the start: ${created.slice(0, 10).join(', ')}. To remove them, add --yes.`,
    )
  return created
}
