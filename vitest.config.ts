import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    // Examples and type tests import the package by its name; here it is its own source.
    alias: [
      {
        find: /^proxy-reselling-simulator$/,
        replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/browser/buildPages.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Machines that run tests are busy; what is polled for comes, but not always within a second.
    expect: { poll: { timeout: 10_000 } },
    pool: 'threads',
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.gen.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
})
