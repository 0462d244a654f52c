import { useEffect } from 'preact/hooks'
import { showTheme, stored } from '../lib/theme.ts'
import { useRedraw } from './store.ts'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const languages = ['Node', 'Python', 'PHP', 'Go', 'curl'] as const
export type Language = (typeof languages)[number]

/** What a reader chooses once, for every page; this browser remembers it. The first is the one to begin with. */
export const preferences = { theme: themes, language: languages }

type Name = keyof typeof preferences
type Value<N extends Name> = (typeof preferences)[N][number]

const keyOf = (name: Name): string => `proxysim-${name}`
const listeners = new Set<() => void>()
/** Where the browser keeps nothing, a choice lasts as long as the page. */
const chosen = new Map<Name, string>()

function read<N extends Name>(name: N): Value<N> {
  const values: readonly string[] = preferences[name]
  const known = chosen.get(name) ?? stored(keyOf(name))
  return (known !== null && values.includes(known) ? known : values[0]) as Value<N>
}

function choose<N extends Name>(name: N, value: Value<N>): void {
  chosen.set(name, value)
  try {
    localStorage.setItem(keyOf(name), value)
  } catch {
    // Nothing is kept here, then.
  }
  if (name === 'theme') showTheme(value)
  for (const listener of listeners) listener()
}

/** A preference, and how to change it. */
export function usePreference<N extends Name>(name: N): [Value<N>, (value: Value<N>) => void] {
  const redraw = useRedraw()
  useEffect(() => {
    listeners.add(redraw)
    return () => {
      listeners.delete(redraw)
    }
  }, [])
  return [read(name), (value) => choose(name, value)]
}
