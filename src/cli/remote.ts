import type { Command } from 'commander'
import type { AccountSummary, Loaded } from '../admin/shapes.ts'
import { ControlPlane, segment, type Call } from '../client/ControlPlane.ts'
import { counted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import { described, settable, withAccount } from './flags.ts'
import { printResult } from './output.ts'

export interface RemoteFlags {
  url: string
  adminToken?: string
  json?: boolean
  account?: string
}

/** The flags of commands that drive a running simulator. Before and after an action, they are the same. */
export function withRemoteFlags(command: Command): Command {
  return command
    .enablePositionalOptions(false)
    .helpCommand(false)
    .addOption(settable('--url <url>', 'address of the running simulator').default('http://127.0.0.1:4010'))
    .addOption(settable('--admin-token <token>', 'the admin token it was started with'))
    .option('--json', 'print JSON')
}

/** The same, plus `--account`. */
export function withAccountFlags(command: Command): Command {
  return withAccount(withRemoteFlags(command))
}

/** An action of a command: `faults add`. The first one is the default. */
export function action(group: Command, name: string, summary: string): Command {
  const isDefault = group.commands.length === 0
  return described(group.command(name, { isDefault }), isDefault ? `${summary} (the default)` : summary)
}

/** Calls the control plane of a running simulator, about the account of `--account`, if that is given. */
export type Ask = <T>(method: string, path: string, call?: Call) => Promise<T>

/** What a command found out: a value for `--json`, and a text for people. Nothing, if it has printed it already. */
type Result = readonly [value: unknown, text: string | (() => string)] | undefined | void

/** @param arg the command's argument, if it has one */
type Act<Flags, Arg> = (ask: Ask, flags: Flags, arg: Arg, plane: ControlPlane) => Promise<Result>

/** The action of a command that drives a running simulator. The first call shows whether there is one. */
export function remote<Flags extends RemoteFlags, Arg = string>(
  act: Act<Flags, Arg>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command
    const flags = command.optsWithGlobals<Flags>()
    const plane = new ControlPlane(flags.url, flags.adminToken)
    const ask: Ask = (method, path, { query, ...call } = {}) =>
      plane.json(method, path, { query: { account: flags.account, ...query }, ...call })
    const result = await act(ask, flags, given.at(-3) as Arg, plane)
    if (result) printResult(flags, ...result)
  }
}

/** The actions that remove one or all of what the control plane lists at a path. */
export function removals(group: Command, path: string, one: string, all: string): void {
  action(group, 'remove', `remove one ${one}`)
    .argument('<id>', `the ${one}`)
    .action(
      remote(async (ask, _flags, id) => {
        await ask('DELETE', `${path}/${segment('id', id)}`)
        return [{ id }, `Removed ${one} ${id}.`]
      }),
    )
  action(group, 'clear', `remove all ${all}`).action(
    remote(async (ask) => {
      await ask('DELETE', path)
      return [[], `Removed all ${all}.`]
    }),
  )
}

/** The path of a request under `/__admin` */
export function requestPath(id: string): string {
  return `/requests/${segment('request', id.replace(/^#/, ''))}`
}

/** For commands that remove accounts which somebody created. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'remove accounts created since the start, without asking')
}

/**
 * Accounts that a load or a reset removes although no scenario has them: somebody created them.
 * @throws UserError on a terminal without --yes, if there are any
 */
export async function createdAccounts(ask: Ask, isSure = false): Promise<string[]> {
  const accounts = await ask<AccountSummary[]>('GET', '/accounts')
  const created = accounts.filter((account) => account.created).map(({ login }) => login)
  if (created.length > 0 && process.stdin.isTTY && !isSure)
    throw new UserError(
      `This removes ${counted(created.length, 'account')} created since the start: ${created.slice(0, 10).join(', ')}. To remove them, add --yes.`,
    )
  return created
}

/** `Loaded low-funds. Accounts: reseller.` */
export function loadedText(name: string, { accounts }: Loaded, removed: readonly string[] = []): string {
  const gone = removed.length ? ` Removed ${removed.join(', ')}; \`proxysim undo\` brings them back.` : ''
  return `Loaded ${name}. Accounts: ${accounts.join(', ') || 'none'}.${gone}`
}
