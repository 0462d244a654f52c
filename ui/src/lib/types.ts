import type { kinds } from '../data/kinds.gen.ts'
import type { JournalEntry as Entry, AccountState } from '../../../src/contract/shapes.ts'

export type * from '../../../src/contract/shapes.ts'
export type { Finding } from '../../../src/findings/findings.ts'

/** A merge patch, or any other object of JSON */
export type Patch = { [key: string]: unknown }

/** `before` is the merge patch that undoes `change`; `rewound`: a rewind has undone it. */
export type JournalEntry = Entry & { before?: unknown; rewound?: boolean }

export type World = AccountState

export type RecordKind = keyof typeof kinds

/** A refused call of the control plane, and the reason. */
export interface Issue {
  path: string
  message: string
  line?: number
  column?: number
}
