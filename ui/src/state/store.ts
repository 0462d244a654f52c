import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import type {
  AccountSummary,
  Assumption,
  CoverageReport,
  Finding,
  JournalEntry,
  Patch,
  ScenarioInfo,
  Snapshot,
  Timeline,
  World,
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
  /** The chosen login; undefined: all accounts */
  account: string | undefined
  /** The chosen account's world */
  world: World | undefined
  /** How many changes have been applied to the world that was read */
  changes: number
  /** Real time at which the world's clock was read */
  clockReadAt: number
  timeline: Timeline | undefined
  /** The newest first, of all accounts */
  entries: JournalEntry[]
  /** Entries up to this id were cleared from view */
  clearedUpTo: number
  /** Requests that a rewind took back, by account: ids from and to */
  rewound: Record<string, [from: number, to: number][]>
  /** How many entries came in while the page was open */
  arrived: number
  coverage: CoverageReport | undefined
  findings: Finding[]
  assumptions: Assumption[]
  snapshots: Snapshot[]
  toast: Toast | undefined
  /** A button is at work: see Button */
  isBusy: boolean
  /** A fault to begin with in the form that adds one */
  faultDraft: Patch | undefined
}

/** What happened last, told at the bottom of the page. */
export interface Toast {
  id: number
  kind: 'done' | 'failed'
  text: string
  details: readonly string[]
  undo?: () => Promise<unknown>
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
  clockReadAt: 0,
  timeline: undefined,
  entries: [],
  clearedUpTo: 0,
  rewound: {},
  arrived: 0,
  coverage: undefined,
  findings: [],
  assumptions: [],
  snapshots: [],
  toast: undefined,
  isBusy: false,
  faultDraft: undefined,
}

const listeners = new Set<() => void>()

export function getState(): AppState {
  return state
}

export function setState(part: Partial<AppState>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

/** Has the component drawn again. */
export function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
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
