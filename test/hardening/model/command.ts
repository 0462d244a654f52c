import type * as fc from 'fast-check'
import { agree, noteKnown } from './agree.ts'
import type { Model } from './Model.ts'
import type { Subject } from './Subject.ts'

export type Command = fc.AsyncCommand<Model, Subject>

/** Requests that a rewind may go back to */
const mostMarks = 10

/**
 * A command from what it does; after it, server and rules must agree in everything.
 * @param kind `request`: one that was made alone comes first, so that a rewind to it brings back what was before the
 * command; `requests`: they were made at once; `control`: it is no request of the journal
 */
export function command(
  name: string,
  run: (model: Model, real: Subject) => Promise<void>,
  kind: 'request' | 'requests' | 'control' = 'request',
): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      const mark = { request: model.seen.request + 1, rules: structuredClone(model.rules) }
      await run(model, real)
      if (kind === 'control') await noteKnown(model, real)
      if (kind === 'request') model.marks = [...model.marks, mark].slice(-mostMarks)
      await agree(model, real)
      counts.steps++
    },
  }
}

/** How much was tried, for the report. */
export const counts = {
  steps: 0,
  restarts: 0,
  faults: 0,
  parallel: 0,
  resets: 0,
  orders: 0,
  patches: 0,
  refusedPatches: 0,
  exports: 0,
  restores: 0,
  rewinds: 0,
}
