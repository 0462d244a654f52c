import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/** Of WCAG 2.2, and off by default */
const options = { rules: { 'target-size': { enabled: true } } }

/** What axe-core finds on what is shown: WCAG and best practices, however slight. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<{ violations: Violation[] }>(`axe.run(${JSON.stringify(options)})`)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}
