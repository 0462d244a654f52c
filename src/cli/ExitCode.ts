/** Exit codes. `exec` also uses those of its command. */
export const ExitCode = {
  ok: 0,
  /** A check failed: of a scenario or a client. */
  found: 1,
  /** Invalid usage: a flag, name, port or file. */
  usage: 2,
  /** Coverage is too low. */
  coverage: 3,
} as const
