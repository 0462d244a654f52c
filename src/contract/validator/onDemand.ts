import { importOnce } from '../../lib/onDemand.ts'

/** Loads express-openapi-validator. Starts don't need it. */
export const loadLibrary = importOnce(() => import('./library.ts'))
