import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vitest/config'
import example from '../../examples/vitest/vitest.config.ts'
import own from '../../vitest.config.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

// As a user's, but that the package is its own source.
export default mergeConfig(
  { resolve: own.resolve ?? {} },
  mergeConfig(example, { test: { dir: examples, testTimeout: 20_000 } }),
)
