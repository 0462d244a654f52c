import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
export default defineConfig({
  resolve: { alias: [{ find: /^proxysim$/, replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)) }] },
  test: { testTimeout: 60_000, hookTimeout: 20_000, pool: 'threads', maxWorkers: 1, include: ['test/**/*.test.ts'], expect: { poll: { timeout: 10_000 } } },
})
