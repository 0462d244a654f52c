// Prints what a report of exec, sweep or matrix found as annotations of GitHub Actions: node annotate.mjs report.json
import { readFileSync } from 'node:fs'

/** GitHub shows at most ten annotations of each kind for a step. */
const most = 10

const { findings = [], runs = [], interpretations = [] } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
print(
  'error',
  [...runs, ...interpretations].filter(({ advice, accepted }) => advice !== null && accepted === null),
  ({ cell, verdict, why, advice }) => [cell, `${verdict}: ${why.join('; ')} · ${advice}`],
)
print('warning', findings, ({ finding, message }) => [finding, message])

function print(kind, items, describe) {
  for (const item of items.slice(0, most)) {
    const [title, message] = describe(item)
    console.log(
      `::${kind} title=${escape(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escape(message)}`,
    )
  }
}

function escape(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
