import { longestYaml } from '../longestYaml.ts'
import { jsonChunks } from '../jsonChunks.ts'
import { yamlOf } from '../scenario/exportScenario.ts'
import { runAsync } from '../scenario/runAsync.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { wrongInput, type AdminError } from './AdminError.ts'

/**
 * A scenario as a YAML answer. What is longer couldn't be loaded again.
 * @param accounts its accounts, of which the scenario is only made if they aren't too many
 * @param lineWidth 0 doesn't fold lines
 * @throws AdminError
 */
export async function yamlAnswer(
  accounts: object,
  make: () => ScenarioDocument | Promise<ScenarioDocument>,
  lineWidth = 80,
): Promise<{ status: 200; type: 'application/yaml'; text: string }> {
  requireShort(accounts)
  const scenario = await make()
  const { stringify } = await import('../yaml.ts')
  const write = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false, lineWidth })
  const text = await runAsync(yamlOf(scenario, write))
  if (Buffer.byteLength(text) > longestYaml) throw tooLarge()
  return { status: 200, type: 'application/yaml', text }
}

/** YAML is longer than JSON: what is too large is refused before it takes long to write. */
function requireShort(accounts: object): void {
  let length = 0
  for (const piece of jsonChunks(accounts, 3)) {
    length += piece.length
    if (length > longestYaml) throw tooLarge()
  }
}

function tooLarge(): AdminError {
  return wrongInput('The state is too large for YAML.', [
    { path: 'Accept', message: `YAML may have ${longestYaml} bytes; ask for application/json` },
  ])
}
