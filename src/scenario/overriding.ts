import { UserError } from '../lib/UserError.ts'
import type { FaultTarget } from '../world/invariants.ts'
import { checkScenario } from './checkScenario.ts'
import type { Readings, ScenarioDocument } from './ScenarioDocument.ts'

/**
 * Overrides assumptions in all accounts of a scenario, so that a client is tested against them even if it loads
 * scenarios and resets.
 * @throws UserError if an assumption or its value doesn't exist
 */
export function overriding(
  readings: Readings,
  operations: readonly FaultTarget[],
): (document: ScenarioDocument) => ScenarioDocument {
  const any = { description: 'Readings.', accounts: { any: { password: 'any', assumptions: readings } } }
  const [issue] = checkScenario(any, operations)
  if (issue) {
    const [, , , id] = issue.path
    throw new UserError(`The assumption${id === undefined ? 's' : ` ${id}`}: ${issue.message}`)
  }
  const { updateListInterval, ...assumptions } = readings
  return (document) => ({
    ...document,
    accounts: Object.fromEntries(
      Object.entries(document.accounts).map(([login, account]) => [
        login,
        {
          ...account,
          assumptions: { ...account.assumptions, ...assumptions },
          ...(updateListInterval !== undefined && { limits: { ...account.limits, updateListInterval } }),
        },
      ]),
    ),
  })
}
