import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { browserStorage } from '../lib/storage.ts'
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

/** The result of the last action, shown at the bottom of the page */
export interface Toast {
  id: number
  kind: 'done' | 'failed'
  text: string
  details: readonly string[]
  undo?: () => Promise<unknown>
}

const languageKey = 'proxysim-language'

/** The state of the page. */
let state = {
  connection: 'connecting' as 'connecting' | 'live' | 'disconnected',
  /** Whether everything has been loaded at least once */
  isLoaded: false,
  /** Whether the control plane requires the admin token */
  needsToken: false,
  version: '',
  scenario: '',
  scenarios: [] as ScenarioInfo[],
  accounts: [] as AccountSummary[],
  /** The chosen login; undefined for all accounts */
  account: undefined as string | undefined,
  /** The chosen account's state */
  world: undefined as World | undefined,
  /** Real time at which the account's clock was read */
  clockReadAt: 0,
  timeline: undefined as Timeline | undefined,
  /** Requests of all accounts, newest first */
  entries: [] as JournalEntry[],
  /** The Clear button has hidden the entries up to this id; 0 if it has hidden none */
  clearedUpTo: 0,
  coverage: undefined as CoverageReport | undefined,
  findings: [] as Finding[],
  assumptions: [] as Assumption[],
  snapshots: [] as Snapshot[],
  toast: undefined as Toast | undefined,
  /** Whether a button's action is running */
  isBusy: false,
  /** The language of code samples */
  language: browserStorage.get(languageKey) ?? 'curl',
  /** Initial values of the fault form */
  faultDraft: undefined as Patch | undefined,
}

export type AppState = typeof state

const listeners = new Set<() => void>()

export function getState(): AppState {
  return state
}

export function setState(changes: Partial<AppState>): void {
  state = { ...state, ...changes }
  for (const listener of listeners) listener()
}

/** Shows code samples in another language. The browser stores the choice. */
export function chooseLanguage(language: string): void {
  browserStorage.set(languageKey, language)
  setState({ language })
}

/** Returns a function that renders the component again. */
export function useRerender(): () => void {
  const [, rerender] = useReducer<number, void>((count) => count + 1, 0)
  return rerender
}

/** Selects a part of the state, or all of it. The component renders again when the selected value changes. */
export function useApp(): AppState
export function useApp<T>(select: (state: AppState) => T): T
export function useApp(select: (state: AppState) => unknown = (all) => all): unknown {
  const rerender = useRerender()
  const selected = select(state)
  const latest = useRef({ select, selected })
  latest.current = { select, selected }
  useLayoutEffect(() => {
    const update = () => {
      if (!Object.is(latest.current.select(state), latest.current.selected)) rerender()
    }
    listeners.add(update)
    update()
    return () => {
      listeners.delete(update)
    }
  }, [])
  return selected
}

/** An account's label, or else its login. */
export function getAccountName(accounts: readonly AccountSummary[], login: string): string {
  return accounts.find((one) => one.login === login)?.label ?? login
}

/** Requests of the chosen account and of unknown logins, without the cleared ones. */
export function getVisibleEntries({ entries, account, clearedUpTo }: AppState): JournalEntry[] {
  if (account === undefined && clearedUpTo === 0) return entries
  return entries.filter(
    (one) =>
      one.id > clearedUpTo && (account === undefined || one.account === account || one.account === null),
  )
}
