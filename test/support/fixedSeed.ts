import * as fc from 'fast-check'

/** The same code gets the same verdict: properties draw from one seed, unless PROXYSIM_SEED names another one. */
export const seed = Number(process.env['PROXYSIM_SEED'] ?? 31)

fc.configureGlobal({ seed })
