import type { Rules } from './Rules.ts'

/** The rules as they are, and as a reset brings them back. */
export interface Kept {
  rules: Rules
  original: Rules
  /** Of the account alone: what a reset brings back is not the account's */
  isAccount?: boolean
}

/** The rules, what they can go back to, and what was last seen of the server. */
export interface Model extends Kept {
  snapshots: ({ id: string } & Kept)[]
  /** The rules before requests of this life of the world, the newest last: what a rewind brings back */
  marks: { request: number; rules: Rules }[]
  /** The world, and the journal's newest request */
  seen: { world: unknown; request: number }
}

export const beforeLoad = 'before-load'

/** Other rules take the place of all; those that were there are kept by the name that the server keeps them by. */
export function load(model: Model, rules: Rules, isAccount = false): void {
  const { original } = model
  model.snapshots = model.snapshots.filter(({ id }) => id !== beforeLoad)
  model.snapshots.push({ id: beforeLoad, rules: model.rules, original, isAccount })
  model.rules = structuredClone(rules)
  model.marks = []
}
