import { jsonChunks } from '../storage/file/jsonChunks.ts'
import { wrongInput } from './AdminError.ts'

/** Characters of YAML, which takes much longer to parse than JSON. */
export const longestYaml = 1024 * 1024

/** Longer YAML couldn't be loaded again, and takes long to write. @throws AdminError */
export function requireShortYaml(accounts: object): void {
  let length = 0
  for (const piece of jsonChunks(accounts, 3)) {
    length += piece.length
    if (length > longestYaml)
      throw wrongInput('The state is too large for YAML.', [
        { path: 'Accept', message: `YAML may have ${longestYaml} characters; ask for application/json` },
      ])
  }
}
