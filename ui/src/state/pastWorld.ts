import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { WorldView } from '../lib/types.ts'
import { useApp } from './store.ts'

/** The world of an earlier moment, shown in place of the present one, and read only. */
export const PastWorld = createContext<WorldView | undefined>(undefined)

/** A part of the world that is shown: the past one if the page looks back, else the chosen account's. */
export function useWorld<T>(select: (world: WorldView) => T): T | undefined {
  const past = useContext(PastWorld)
  const present = useApp(({ world }) => world && select(world))
  return past ? select(past) : present
}

/** Whether what is shown is past, so that nothing in it can be changed. */
export function useReadOnly(): boolean {
  return useContext(PastWorld) !== undefined
}
