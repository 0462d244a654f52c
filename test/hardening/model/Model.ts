import type { Rules } from './Rules.ts'

/** The rules, snapshots of them by id, and what was last seen of the server. */
export interface Model {
  rules: Rules
  snapshots: { id: string; rules: Rules }[]
  /** The world, and the journal's newest request */
  seen: { world: unknown; request: number }
}
