import type { Finding, FindingName } from '../admin/shapes.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import { duplicateOrder } from './findings/duplicateOrder.ts'
import { severities, type ClosingRequest, type FindingRule } from './findings/FindingRule.ts'
import { headerMissing } from './findings/headerMissing.ts'
import { passwordNotEncoded } from './findings/passwordNotEncoded.ts'
import { throttleIgnored } from './findings/throttleIgnored.ts'
import { unsafeGet } from './findings/unsafeGet.ts'
import type { JournalRecord } from './Journal.ts'
import type { Evidence } from './RawRecord.ts'

/** All rules. Only the rule itself reads and writes its evidence. */
export const findingRules: Readonly<Record<FindingName, FindingRule<unknown>>> = {
  'duplicate-order': duplicateOrder,
  'throttle-ignored': throttleIgnored,
  'unsafe-get': unsafeGet,
  'password-not-encoded': passwordNotEncoded,
  'header-missing': headerMissing,
}

/** The worst first */
const rules = (Object.entries(findingRules) as [FindingName, FindingRule<unknown>][]).toSorted(
  ([, a], [, b]) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
)

const rulesByOperation = new WeakMap<ContractOperation, typeof rules>()

/** Collects the evidence of a request; undefined if there is none. */
export function noteEvidence(closing: ClosingRequest): Evidence | undefined {
  const { operation } = closing
  let relevant = rulesByOperation.get(operation)
  if (!relevant)
    rulesByOperation.set(operation, (relevant = rules.filter(([, rule]) => rule.concerns(operation))))
  let evidence: Record<string, unknown> | undefined
  for (const [name, rule] of relevant) {
    const noted = rule.note(closing)
    if (noted !== undefined) (evidence ??= {})[name] = noted
  }
  return evidence
}

/** The findings in the journal's requests (oldest first), the worst first. */
export function findings(records: readonly JournalRecord[]): Finding[] {
  return rules.flatMap(([finding, rule]) => {
    const noted = records.flatMap((record) => {
      const evidence = record.raw.evidence?.[finding]
      return evidence === undefined ? [] : [{ record, evidence }]
    })
    return rule.find(noted).map(({ message, shown }) => ({
      finding,
      severity: rule.severity,
      account: common(shown.map(({ raw }) => raw.account)),
      operation: common(shown.map(({ raw }) => raw.operation)),
      message: shown.reduce((text, record) => record.redact(text), message),
      requests: shown.map(({ entry: { id, time, method, path, status } }) => ({
        id,
        time,
        method,
        path,
        status,
      })),
    }))
  })
}

/** The value that all share; null if they differ. */
function common(values: readonly (string | null)[]): string | null {
  const [first = null] = values
  return values.every((value) => value === first) ? first : null
}
