import { readFileSync } from 'node:fs'
import { shipped } from './packageRoot.ts'

export const version = (JSON.parse(readFileSync(shipped('package.json'), 'utf8')) as { version: string })
  .version
