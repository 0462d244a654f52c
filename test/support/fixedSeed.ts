import * as fc from 'fast-check'

/* The same code gives the same verdict: properties draw from one seed, unless PROXYSIM_SEED names another one. */
fc.configureGlobal({ seed: Number(process.env['PROXYSIM_SEED'] ?? 31) })
