import * as fc from 'fast-check'

/** The seed of property tests. It is fixed so that they are reproducible; PROXYSIM_SEED sets another one. */
export const seed = Number(process.env['PROXYSIM_SEED'] ?? 31)

fc.configureGlobal({ seed })
