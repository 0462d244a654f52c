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

/** The last result, at the bottom of the page */
export interface Toast {
  id: number
  kind: 'done' | 'failed'
  text: string
  details: readonly string[]
  undo?: () => Promise<unknown>
}

/** Everything that the page shows. */
let state = {
  connection: 'connecting' as 'connecting' | 'live' | 'lost',
  /** Everything has been read at least once. */
  isLoaded: false,
  /** The control plane asks for its token. */
  needsToken: false,
  version: '',
  scenario: '',
  scenarios: [] as ScenarioInfo[],
  accounts: [] as AccountSummary[],
  /** The chosen login; undefined: all accounts */
  account: undefined as string | undefined,
  /** The chosen account's world */
  world: undefined as World | undefined,
  /** Real time at which the world's clock was read */
  clockReadAt: 0,
  timeline: undefined as Timeline | undefined,
  /** The newest first, of all accounts */
  entries: [] as JournalEntry[],
  /** Entries up to this id are hidden: Clear */
  clearedUpTo: 0,
  coverage: undefined as CoverageReport | undefined,
  findings: [] as Finding[],
  assumptions: [] as Assumption[],
  snapshots: [] as Snapshot[],
  toast: undefined as Toast | undefined,
  /** A button is at work: see Button */
  isBusy: false,
  /** A fault to begin with in the form that adds one */
  faultDraft: undefined as Patch | undefined,
}

export type AppState = typeof state

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
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0)
  return redraw
}

/** A part of the state, or all of it; the component is drawn again when that is another one. */
export function useApp(): AppState
export function useApp<T>(select: (state: AppState) => T): T
export function useApp(select: (state: AppState) => unknown = (all) => all): unknown {
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

/** The requests that show: of the chosen account, and those that may be its (with a wrong login), without the cleared ones. */
export function entriesOf({ entries, account, clearedUpTo }: AppState): JournalEntry[] {
  if (account === undefined && clearedUpTo === 0) return entries
  return entries.filter(
    (one) =>
      one.id > clearedUpTo && (account === undefined || one.account === account || one.account === null),
  )
}

const clearedKey = 'proxysim-cleared'
const cleared = ({ id, time }: JournalEntry) => `${id} ${time}`

/** Hides the entries up to this id, also after a reload; 0 shows all. The journal has them still. */
export function clearUpTo(id: number): void {
  const newest = state.entries.find((one) => one.id === id)
  if (newest) sessionStorage.setItem(clearedKey, cleared(newest))
  else sessionStorage.removeItem(clearedKey)
  setState({ clearedUpTo: newest ? id : 0 })
}

/** The last id that was cleared before a reload; 0 where that entry is gone, as after a restart of the simulator. */
export function clearedBefore(entries: readonly JournalEntry[]): number {
  const text = sessionStorage.getItem(clearedKey)
  return entries.find((one) => cleared(one) === text)?.id ?? 0
}
