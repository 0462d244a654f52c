import { onTestFinished } from 'vitest'
import { cli, launch, type LaunchedProcess, type Output, waitForUrl } from '../../cli/proxysim.ts'
import { ask, type TestResponse, basic } from '../../support/ask.ts'

/** Starts a simulator as users do, in a separate process. @param within a command that runs it, with its arguments */
export function launchServer(flags: Record<string, string>, within: readonly string[] = []): LaunchedProcess {
  const args = Object.entries({ 'log-level': 'warn', ...flags }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ])
  const program = [...within, process.execPath, cli]
  return launch(['serve', '--port', '0', ...args], { program })
}

/** A running simulator; it is killed at the end of the test. */
export class Child {
  readonly #launched: LaunchedProcess
  readonly url: string

  private constructor(launched: LaunchedProcess, url: string) {
    this.#launched = launched
    this.url = url
  }

  static async start(...args: Parameters<typeof launchServer>): Promise<Child> {
    const launched = launchServer(...args)
    const child = new Child(launched, await waitForUrl(launched))
    onTestFinished(async () => void (await child.end('SIGKILL')))
    return child
  }

  get process(): LaunchedProcess['child'] {
    return this.#launched.child
  }

  /** Sends a signal, and waits for the end of the process. */
  end(signal: NodeJS.Signals): Promise<Output> {
    this.process.kill(signal)
    return this.#launched.ended
  }

  /** Sends a request as `reseller`. @throws an error with a `code` if the connection breaks before the end of the response */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<TestResponse<T>> {
    return ask<T>(this.url, method, path, { body, headers: { authorization: basic('reseller:secret') } })
  }
}
