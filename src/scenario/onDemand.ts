import { importOnce } from '../lib/onDemand.ts'

/** Loads the code that reads and checks scenarios and patches. Starts and most requests don't need it. */
export const loadChecks = importOnce(() => import('./checks.ts'))
