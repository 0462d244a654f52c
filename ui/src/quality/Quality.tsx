import { useEffect } from 'preact/hooks'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { Assumptions } from './Assumptions.tsx'
import { Findings } from './Findings.tsx'
import { NotTested } from './NotTested.tsx'
import { Reports } from './Reports.tsx'

const sections = {
  findings: 'Findings',
  coverage: 'Not tested yet',
  reports: 'Reports',
  assumptions: 'Assumptions',
}

/** Findings, untested responses, reports and assumptions. */
export function Quality({ section }: { section: string }) {
  const hasCoverage = useApp((state) => state.coverage !== undefined)
  const hasAssumptions = useApp((state) => state.assumptions.length > 0)
  useEffect(() => {
    if (section !== '') document.getElementById(section)?.scrollIntoView()
  }, [section, hasCoverage, hasAssumptions])
  return (
    <>
      <h1 class="unseen">Quality</h1>
      <nav class="toolbar chips" aria-label="On this page">
        {Object.entries(sections).map(([id, title]) => (
          <a
            key={id}
            href={link('quality', id)}
            onClick={() => document.getElementById(id)?.scrollIntoView()}
          >
            {title}
          </a>
        ))}
      </nav>
      <Findings />
      <NotTested />
      <Reports />
      <Assumptions />
    </>
  )
}
