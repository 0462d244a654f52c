import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** On two processors Vitest would use one of them. */
const maxWorkers = Math.max(2, availableParallelism() - 1)

/** Tests that measure how long others wait: nothing else may run beside them */
const timed = [
  'test/admin/patchCost.test.ts',
  'test/browser/large.test.ts',
  'test/hardening/{fuzz,pieces,scenarios,slow}.test.ts',
  'test/replicas/**/*.test.ts',
  'test/storage/shared/**/*.test.ts',
]

/** Tests of what is built, and those that keep a processor busy for seconds: large states, crashes, thousands of requests */
const slow = [
  'test/{browser,calibration,ci,cli,examples,hardening,languages,package,replicas,storage,sweep}/**/*.test.ts',
  'test/contract/validator/**/*.test.ts',
  'test/admin/{patchCost,repro,rewind}.test.ts',
  'test/docs/{pages,served}.test.ts',
  'test/http/badInput.test.ts',
  'test/journal/{canaries,events,randomPasswords}.test.ts',
  'test/scenarios/{everyChange,exported,generation,shipped,sizes}.test.ts',
]

export default defineConfig({
  resolve: {
    // Examples and type tests import the package by its name; here it is its own source.
    alias: [
      {
        find: /^proxysim$/,
        replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)),
      },
    ],
  },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Machines that run tests are busy; what is polled for comes, but not always within a second.
    expect: { poll: { timeout: 10_000 } },
    pool: 'threads',
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...timed],
          // Loading the program anew for each file took longer than its tests; they share nothing but caches.
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slow,
          exclude: timed,
          globalSetup: ['scripts/buildIfStale.mjs'],
          // Processes take their time if many are started at once.
          testTimeout: 60_000,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: timed,
          globalSetup: ['scripts/buildIfStale.mjs'],
          testTimeout: 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
})
