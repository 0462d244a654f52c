/** Exit codes. `exec` also uses those of its command. */
export const ExitCode = {
  ok: 0,
  /** A check of a scenario or a client failed, or not everything could be recorded. */
  found: 1,
  /** Invalid usage: a flag, name, port or file. */
  usage: 2,
  /** Coverage is too low. */
  coverage: 3,
} as const
