import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../UserError.ts'
import { checkScenario } from './checkScenario.ts'
import type { Readings, ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import type { Scenario, ScenarioLibrary } from './ScenarioLibrary.ts'

/**
 * Overrides assumptions in all scenarios of a library, so that a client is tested against them even if it loads
 * scenarios and resets.
 * @throws UserError if an assumption or its value doesn't exist
 */
export function withAssumptions(
  library: ScenarioLibrary,
  readings: Readings,
  contract: Contract,
): ScenarioLibrary {
  const any = { description: 'Readings.', accounts: { any: { password: 'any', assumptions: readings } } }
  const [issue] = checkScenario(any, contract.operations)
  if (issue) {
    const [, , , id] = issue.path
    throw new UserError(`The assumption${id === undefined ? 's' : ` ${id}`}: ${issue.message}`)
  }
  const read = async (found: Promise<Scenario>): Promise<Scenario> => {
    const { name, document } = await found
    return { name, document: override(document, readings) }
  }
  return {
    list: library.list,
    load: (name) => read(library.load(name)),
    loadFile: (file, text) => read(library.loadFile(file, text)),
    read: (text, name) => read(library.read(text, name)),
  }
}

function override(document: ScenarioDocument, readings: Readings): ScenarioDocument {
  const { updateListInterval, ...assumptions } = readings
  const accounts = Object.entries(document.accounts).map(([login, account]): [string, ScenarioAccount] => [
    login,
    {
      ...account,
      assumptions: { ...account.assumptions, ...assumptions },
      ...(updateListInterval !== undefined && { limits: { ...account.limits, updateListInterval } }),
    },
  ])
  return { ...document, accounts: Object.fromEntries(accounts) }
}
