/**
 * Returns a function that imports a module at its first call. Later calls work even if a newer build has replaced the module's
 * file, for which another `import()` would look.
 */
export function importOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => (loading ??= load())
}

export const loadYaml = importOnce(() => import('yaml'))
export const loadFaker = importOnce(() => import('@faker-js/faker/locale/en'))
