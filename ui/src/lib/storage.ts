/** The browser's storage. If it is blocked or full, nothing is kept. */
export interface Storage {
  get: (key: string) => string | null
  set: (key: string, value: string) => void
}

function createStorage(getArea: () => globalThis.Storage): Storage {
  return {
    get(key) {
      try {
        return getArea().getItem(key)
      } catch {
        return null
      }
    },
    set(key, value) {
      try {
        getArea().setItem(key, value)
      } catch {} // the page works without
    },
  }
}

/** Shared by all tabs. Reading `localStorage` throws if it is blocked. */
export const browserStorage = createStorage(() => localStorage)

/** Belongs to this tab. */
export const tabStorage = createStorage(() => sessionStorage)
