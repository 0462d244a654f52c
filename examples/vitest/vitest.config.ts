import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    dir: fileURLToPath(new URL('.', import.meta.url)),
    // Started once for all test files.
    globalSetup: fileURLToPath(new URL('globalSetup.ts', import.meta.url)),
  },
})
