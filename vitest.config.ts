import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// No test calls another machine, and each process of Node would first parse these certificates, for a third of its start.
delete process.env['NODE_EXTRA_CA_CERTS']

/** On two processors Vitest would use one of them. */
const maxWorkers = Math.max(2, availableParallelism() - 1)

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
    // No test takes a tenth of this on an idle machine, but other work may slow it down.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Machines that run tests are busy; what is polled for comes, but not always within a second.
    expect: { poll: { timeout: 40_000 } },
    pool: 'threads',
    // Loading the program again for each file takes a second, longer than the tests of many files. They share only caches.
    isolate: false,
    setupFiles: ['test/support/freezeRecords.ts'],
    // The folder says which command runs a test: `test:fast` the first project, `npm test` the first two, `test:all` all.
    projects: [
      {
        extends: true,
        test: {
          // Over HTTP or by pure rules, in this process: for the edit loop
          name: 'fast',
          include: ['test/{rules,wire}/**/*.test.ts'],
          setupFiles: ['test/support/fixedSeed.ts'],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      // Everything else that needs Node alone
      built('node', 'test/{cli,docs,library,model,storage}', 1),
      // What needs a browser, other languages, or an installed package, and what takes half a minute or more
      built('rest', 'test/{browser,ci,languages,package,slow}', 2, maxWorkers + 4),
      // What measures how long others wait, or kills processes at random: nothing else may run beside it
      built('alone', 'test/alone', 3, 1),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
})

/** A project of tests that may start the built program, and spend half of their time waiting for it. */
function built(name: string, folders: string, groupOrder: number, workers = maxWorkers + 1) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`${folders}/**/*.test.ts`],
      globalSetup: ['scripts/buildIfStale.mjs'],
      // Processes take their time if many are started at once.
      testTimeout: 240_000,
      maxWorkers: workers,
      // Browsers and measured waits depend on the machine. The summary of `.ci/run` names tests that needed a second attempt.
      retry: name !== 'node' && process.env['CI'] ? 1 : 0,
      sequence: { groupOrder },
    },
  }
}
