import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** On two processors Vitest would use one of them. */
const maxWorkers = Math.max(2, availableParallelism() - 1)

// The folder says which command runs a test: `test:fast` the first project, `npm test` the first two, `test:all` all.

/** Over HTTP or by pure rules, in this process: for the edit loop */
const fast = ['test/{rules,wire}/**/*.test.ts']

/** Everything else that needs Node alone */
const node = ['test/{cli,docs,library,model,storage}/**/*.test.ts']

/** What measures how long others wait, or kills processes at random: nothing else may run beside it */
const alone = ['test/storage/redis/**/*.test.ts', 'test/**/kills.test.ts', 'test/browser/large.test.ts']

/** What takes half a minute or more each: too long for everybody */
const long = [
  'test/docs/{examples,pages}.test.ts',
  'test/cli/sweep.test.ts',
  'test/model/{hostileText,recordings,repro,scenarioBounds}.test.ts',
  'test/storage/file/lock.test.ts',
]

/** What needs a browser, other languages, or an installed package, and what takes long */
const rest = ['test/{browser,ci,languages,package}/**/*.test.ts', ...long]

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
    setupFiles: ['test/support/freezeRecords.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: fast,
          // Loading the program anew for each file took longer than its tests; they share nothing but caches.
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      built('node', node, [...alone, ...long], { maxWorkers, sequence: { groupOrder: 1 } }),
      built('rest', rest, alone, { maxWorkers, sequence: { groupOrder: 2 } }),
      built('alone', alone, [], { maxWorkers: 1, sequence: { groupOrder: 3 } }),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
})

/** A project of tests that may start the built program. */
function built(name: string, include: string[], exclude: string[], more: object) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude,
      globalSetup: ['scripts/buildIfStale.mjs'],
      // Processes take their time if many are started at once.
      testTimeout: 60_000,
      ...more,
    },
  }
}
