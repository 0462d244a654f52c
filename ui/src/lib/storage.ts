/** The browser's storage. If it is blocked or full, values are kept until the page closes. */
export interface Storage {
  get: (key: string) => string | null
  set: (key: string, value: string | null) => void
}

function createStorage(getArea: () => globalThis.Storage): Storage {
  /** The values that the browser didn't store */
  const memory = new Map<string, string>()
  return {
    get(key) {
      try {
        return memory.get(key) ?? getArea().getItem(key)
      } catch {
        return null
      }
    },
    set(key, value) {
      memory.delete(key)
      try {
        getArea().removeItem(key) // an old value would outlast a new one that is too long
        if (value !== null) getArea().setItem(key, value)
      } catch {
        if (value !== null) memory.set(key, value)
      }
    },
  }
}

/** Shared by all tabs. Reading `localStorage` throws if it is blocked. */
export const browserStorage = createStorage(() => localStorage)

/** Belongs to this tab. */
export const tabStorage = createStorage(() => sessionStorage)
