/** The browser's storage. If it is blocked, values are kept until the page closes. */
export interface Storage {
  get: (key: string) => string | null
  set: (key: string, value: string | null) => void
}

function createStorage(getArea: () => globalThis.Storage): Storage {
  const memory = new Map<string, string>()
  return {
    get(key) {
      try {
        return getArea().getItem(key)
      } catch {
        return memory.get(key) ?? null
      }
    },
    set(key, value) {
      try {
        if (value === null) getArea().removeItem(key)
        else getArea().setItem(key, value)
      } catch {
        if (value === null) memory.delete(key)
        else memory.set(key, value)
      }
    },
  }
}

/** Shared by all tabs. Reading `localStorage` throws if it is blocked. */
export const browserStorage = createStorage(() => localStorage)

/** Belongs to this tab. */
export const tabStorage = createStorage(() => sessionStorage)
