import type { Storage } from './Storage.ts'

/** Nothing lasts. */
export const memoryStorage: Storage = {
  found: undefined,
  append: () => {},
  replace: () => {},
  flushed: () => undefined,
  close: async () => {},
}
