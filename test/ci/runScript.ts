import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

export interface ScriptOptions {
  cwd: string
  env: Record<string, string>
}

export interface ScriptResult {
  code: number | null
  /** Standard output and standard error, interleaved */
  output: string
}

/**
 * Runs a script as the runners of GitHub and GitLab do: with bash, which stops at the first failure, even in a pipe.
 * Processes that it leaves running end with the test, as they would with the job.
 */
export function runScript(script: string, { cwd, env }: ScriptOptions): Promise<ScriptResult> {
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
    cwd,
    // Without most of our environment, where vitest and npm set variables that a runner doesn't.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_offline: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // nothing was left running
    }
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
