import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether a module is what node was started with. */
export function isMain(url: string): boolean {
  const [, script] = process.argv
  return script !== undefined && realpathSync(script) === fileURLToPath(url)
}
