import * as fc from 'fast-check'

/** Makes property tests reproducible: they use one seed unless PROXYSIM_SEED sets another one. */
export const seed = Number(process.env['PROXYSIM_SEED'] ?? 31)

fc.configureGlobal({ seed })
