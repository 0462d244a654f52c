/** Exit codes. `exec` also passes on its command's exit code. */
export const ExitCode = {
  ok: 0,
  /** A check of a scenario, client or recording failed, or a recording is incomplete. */
  failed: 1,
  /** The command couldn't run: invalid usage, an unreachable simulator, an unusable file, or an unexpected error. */
  couldNotRun: 2,
  /** Coverage is too low. */
  lowCoverage: 3,
} as const
