/** What the exit codes mean. `exec` gives those of its command too. */
export const ExitCode = {
  ok: 0,
  /** Something was looked at and found wrong: a scenario, a client. */
  found: 1,
  /** It could not be done as it was asked for: a flag, a name, a port, a file. */
  usage: 2,
  /** Coverage falls short. */
  coverage: 3,
} as const
