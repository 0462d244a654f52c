import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import type { ChangeLine } from '../lib/describeChange.ts'
import type {
  AccountSummary,
  Assumption,
  CoverageReport,
  Finding,
  JournalEntry,
  ScenarioInfo,
  Snapshot,
  WorldView,
} from '../lib/types.ts'

/** Everything that the page shows. */
export interface AppState {
  connection: 'connecting' | 'live' | 'lost'
  /** The control plane asks for its token. */
  needsToken: boolean
  version: string
  scenario: string
  scenarios: ScenarioInfo[]
  accounts: AccountSummary[]
  /** The chosen login */
  account: string | undefined
  /** The chosen account's world */
  world: WorldView | undefined
  /** How many changes have been applied to what was read of it */
  changes: number
  /** What the account's clock is ahead of ours, in milliseconds */
  clockAhead: number
  /** The newest first */
  entries: JournalEntry[]
  /** How many entries came in while the page was open */
  arrived: number
  dropped: number
  /** Changes in words with the values from before, by entry: known for what was seen live */
  lines: ReadonlyMap<number, ChangeLine[]>
  coverage: CoverageReport | undefined
  findings: Finding[]
  assumptions: Assumption[]
  snapshots: Snapshot[]
  notice: Notice | undefined
  /** A button is at work: see ActionButton */
  isBusy: boolean
}

/** Told at the bottom of the page, one at a time. */
export interface Notice {
  id: number
  kind: 'done' | 'failed'
  text: string
  details: readonly string[]
  /** What was replaced can be brought back with one click. */
  undo?: boolean
}

let state: AppState = {
  connection: 'connecting',
  needsToken: false,
  version: '',
  scenario: '',
  scenarios: [],
  accounts: [],
  account: undefined,
  world: undefined,
  changes: 0,
  clockAhead: 0,
  entries: [],
  arrived: 0,
  dropped: 0,
  lines: new Map(),
  coverage: undefined,
  findings: [],
  assumptions: [],
  snapshots: [],
  notice: undefined,
  isBusy: false,
}

const listeners = new Set<() => void>()

export function getState(): AppState {
  return state
}

/** Sets some of the state, and tells whoever draws it. */
export function setState(part: Partial<AppState>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

/** Has the component drawn again. */
export function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number, _asked: undefined) => count + 1, 0)
  return () => redraw(undefined)
}

/** A part of the state; the component is drawn again when that part is another one. */
export function useApp<T>(select: (state: AppState) => T): T {
  const redraw = useRedraw()
  const selected = select(state)
  const latest = useRef({ select, selected })
  latest.current = { select, selected }
  useLayoutEffect(() => {
    const look = () => {
      if (!Object.is(latest.current.select(state), latest.current.selected)) redraw()
    }
    listeners.add(look)
    look()
    return () => {
      listeners.delete(look)
    }
  }, [])
  return selected
}

/** What is selected, as soon as there is something; undefined if there is nothing within so many milliseconds. */
export function until<T>(select: (state: AppState) => T | undefined, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (found: T | undefined) => {
      listeners.delete(look)
      clearTimeout(timer)
      resolve(found)
    }
    const look = () => {
      const found = select(state)
      if (found !== undefined) end(found)
    }
    const timer = setTimeout(() => end(undefined), ms)
    listeners.add(look)
    look()
  })
}
