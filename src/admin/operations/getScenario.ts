import { exportScenario, yamlOf } from '../../scenario/exportScenario.ts'
import { inTurns } from '../../scenario/inTurns.ts'
import { realTime } from '../../state/clock.ts'
import { jsonChunks } from '../../storage/file/jsonChunks.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { longestYaml } from './putScenario.ts'

export const getScenario: AdminOperation<'getScenario'> = async ({ accept }, { store }) => {
  const isYaml = /\byaml\b/i.test(accept)
  if (isYaml) requireShort(store.state.accounts)
  const scenario = exportScenario(store.state, realTime())
  if (!isYaml) return { status: 200, body: { ...scenario } }
  const copy = structuredClone(scenario) // others change the state while the text is written
  const { stringify } = await import('../../yaml.ts')
  return { status: 200, type: 'application/yaml', text: await inTurns(yamlOf(copy, stringify)) }
}

/** Longer YAML would not be read again, and takes long to write. @throws AdminError */
function requireShort(accounts: object): void {
  let length = 0
  for (const piece of jsonChunks(accounts, 3)) {
    length += piece.length
    if (length > longestYaml)
      throw wrongInput('The state is too large for YAML.', [
        { path: 'Accept', message: `YAML may have ${longestYaml} characters; ask for application/json` },
      ])
  }
}
