import { longestYaml } from '../longestYaml.ts'
import { jsonChunks } from '../jsonChunks.ts'
import { wrongInput, type AdminError } from './AdminError.ts'

/** Refuses a state before it takes long to write. @throws AdminError */
export function requireShortYaml(accounts: object): void {
  let length = 0
  for (const piece of jsonChunks(accounts, 3)) {
    length += piece.length
    if (length > longestYaml) throw tooLarge()
  }
}

/** YAML is longer than what it is made from, and a longer one couldn't be loaded again. @throws AdminError */
export function shortYaml(text: string): string {
  if (Buffer.byteLength(text) > longestYaml) throw tooLarge()
  return text
}

function tooLarge(): AdminError {
  return wrongInput('The state is too large for YAML.', [
    { path: 'Accept', message: `YAML may have ${longestYaml} bytes; ask for application/json` },
  ])
}
