import { InvalidArgumentError, type Command } from 'commander'
import type { LoadResult } from '../contract/shapes.ts'
import { callTimeout, ControlPlane, onlyLogin } from '../client/ControlPlane.ts'
import { createHandle } from '../client/createHandle.ts'
import type { AccountControls, SimulatorHandle } from '../client/SimulatorHandle.ts'
import { postedName } from '../scenario/ScenarioError.ts'
import { defaultUrl, parseCount, describeCommand, envOption, withAccount } from './flags.ts'
import { printResult } from './output.ts'

export interface RemoteFlags {
  url: string
  adminToken?: string
  json?: boolean
  account?: string
}

/** Adds the flags of commands that control a running simulator. They may come before or after the action. */
export function withRemoteFlags(command: Command): Command {
  return command
    .enablePositionalOptions(false)
    .helpCommand(false)
    .addOption(envOption('--url <url>', 'URL of the running simulator').default(defaultUrl))
    .addOption(envOption('--admin-token <token>', 'admin token of the simulator'))
    .option('--json', 'print JSON')
}

/** Adds the flags of `withRemoteFlags`, and `--account`. */
export function withAccountFlags(command: Command): Command {
  return withAccount(withRemoteFlags(command))
}

/** Adds an action to a command, such as `add` to `faults`. The first action is the default. */
export function addAction(group: Command, name: string, summary: string): Command {
  const isDefault = group.commands.length === 0
  return describeCommand(group.command(name, { isDefault }), isDefault ? `${summary} (the default)` : summary)
}

/** A running simulator. */
export interface Remote {
  sim: SimulatorHandle
  /** The account named by `--account`, or else the only one */
  account: AccountControls
  /** The login of the account that a change affects. @throws UserError if there are several */
  login: () => Promise<string>
  /** For calls that the handle lacks */
  plane: ControlPlane
}

/** A value for `--json`, and text for people; undefined if the command has already printed its result. */
type Result = readonly [value: unknown, text: string | (() => string)] | undefined | void

/** @param arg the command's argument, if it has one */
type RemoteAction<Flags, Arg> = (remote: Remote, flags: Flags, arg: Arg) => Promise<Result>

/** Creates the action of a command that controls a running simulator. */
export function remoteAction<Flags extends RemoteFlags, Arg = string>(
  run: RemoteAction<Flags, Arg>,
): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command
    const flags = command.optsWithGlobals<Flags>()
    const plane = new ControlPlane(flags.url, { token: flags.adminToken, timeout: callTimeout })
    const sim = await createHandle(plane, false)
    const account = flags.account === undefined ? sim : sim.account(flags.account)
    const login = async (): Promise<string> => flags.account ?? (await onlyLogin(plane, true))
    const result = await run({ sim, account, login, plane }, flags, command.processedArgs[0] as Arg)
    if (result) printResult(flags, ...result)
  }
}

interface Removals {
  singular: string
  plural: string
  remove: (account: AccountControls, id: number) => Promise<void>
  clear: (account: AccountControls) => Promise<void>
}

/** Adds `remove` and `clear`, for one or all of the items that a command lists. */
export function addRemovals(group: Command, { singular, plural, remove, clear }: Removals): void {
  addAction(group, 'remove', `remove one ${singular}`)
    .argument('<id>', `id of the ${singular}`, parseCount)
    .action(
      remoteAction<RemoteFlags, number>(async ({ account }, _flags, id) => {
        await remove(account, id)
        return [{ id }, `Removed ${singular} ${id}.`]
      }),
    )
  addAction(group, 'clear', `remove all ${plural}`).action(
    remoteAction(async ({ account }) => {
      await clear(account)
      return [[], `Removed all ${plural}.`]
    }),
  )
}

/** Adds the argument of commands about a single request. */
export function withRequestId(command: Command): Command {
  const help = 'number of the request, as shown by `proxysim requests`: 17 or #17'
  return command.argument('<id>', help, (text) => {
    if (!/^#?\d{1,9}$/.test(text))
      throw new InvalidArgumentError('It must be the number of a request, such as 17.')
    return Number(text.replace('#', ''))
  })
}

/** Says what a load or a reset did. @param action such as `Loaded low-funds` */
export function describeLoad(action: string, { accounts }: LoadResult): string {
  return `${action}. Accounts: ${accounts.join(', ') || 'none'}. Requests and findings were cleared.`
}

/** Returns a scenario's name for messages. A scenario that was sent to the control plane without a name has none. */
export function displayedScenarioName(name: string): string {
  return name === postedName ? 'the imported scenario' : name
}
