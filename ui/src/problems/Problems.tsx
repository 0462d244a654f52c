import { lazy } from '../parts/lazy.tsx'
import { link, problemSections } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { ProblemList } from './ProblemList.tsx'

const Assumptions = lazy(async () => (await import('./Assumptions.tsx')).Assumptions)
const NotTested = lazy(async () => (await import('./NotTested.tsx')).NotTested)

/** The client's problems, untested responses and assumptions. */
export function Problems({ section }: { section: string }) {
  const problems = useApp((state) => state.findings.length)
  const untested = useApp(({ coverage }) => coverage && coverage.total - coverage.covered)
  const counts: Record<string, number | undefined> = { '': problems, coverage: untested }
  return (
    <>
      <h1 class="unseen">Problems</h1>
      <nav class="toolbar chips" aria-label="Sections">
        {Object.entries(problemSections).map(([id, title]) => (
          <a key={id} href={link('problems', id)} aria-current={id === section ? 'true' : undefined}>
            {title} <span class="count">{counts[id]}</span>
          </a>
        ))}
      </nav>
      {section === 'coverage' ? <NotTested /> : section === 'assumptions' ? <Assumptions /> : <ProblemList />}
    </>
  )
}
