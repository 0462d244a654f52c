import type { Storage } from './Storage.ts'

/** Persists nothing. */
export const memoryStorage: Storage = {
  found: undefined,
  logChange: () => {},
  logWorld: () => {},
  replace: () => {},
  write: async () => undefined,
  flushed: () => undefined,
  warning: () => undefined,
  close: async () => {},
}
