import type { kinds } from '../data/kinds.gen.ts'
import type { JournalEntry as Entry, AccountState } from '../../../src/contract/shapes.ts'

export type * from '../../../src/contract/shapes.ts'
export type { Finding } from '../../../src/findings/findings.ts'

/** A merge patch or any other JSON object */
export type Patch = { [key: string]: unknown }

/** `before` is the merge patch that undoes `change`. `rewound` is set if a rewind has undone the request. */
export type JournalEntry = Entry & { before?: unknown; rewound?: boolean }

export type World = AccountState

export type RecordKind = keyof typeof kinds

/** A reason why the control plane refused a call. */
export interface Issue {
  path: string
  message: string
  line?: number
  column?: number
}
