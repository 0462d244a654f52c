/** Exit codes. `exec` also passes on its command's exit code. */
export const ExitCode = {
  ok: 0,
  /** A check of a scenario or a client failed, or the recording is incomplete. */
  failed: 1,
  /** Invalid usage: a flag, name, port or file. */
  usage: 2,
  /** Coverage is too low. */
  lowCoverage: 3,
} as const
