import { UserError } from '../lib/UserError.ts'
import { mergePatch } from '../world/mergePatch.ts'
import { normalizeAccount } from './normalizeAccount.ts'
import type { Readings, ScenarioDocument } from './ScenarioDocument.ts'
import { accountPartSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/**
 * Overrides assumptions in all accounts of a scenario, so that a client is tested against them even if it loads
 * scenarios and resets.
 * @throws UserError if an assumption or its value doesn't exist
 */
export function overriding(assumptions: Readings): (document: ScenarioDocument) => ScenarioDocument {
  const [issue] = schemaIssues(accountPartSchema, { assumptions })
  if (issue) {
    const [, id] = issue.path
    throw new UserError(`The assumption${id === undefined ? 's' : ` ${id}`}: ${issue.message}`)
  }
  const patch = normalizeAccount({ assumptions })
  return (document) => {
    const patches = Object.keys(document.accounts).map((login) => [login, patch])
    return mergePatch(document, { accounts: Object.fromEntries(patches) }) as ScenarioDocument
  }
}
