import { useEffect } from 'preact/hooks'
import { useApp } from '../state/store.ts'
import { Assumptions } from './Assumptions.tsx'
import { Findings } from './Findings.tsx'
import { NotTested } from './NotTested.tsx'
import { Reports } from './Reports.tsx'

/** The client's mistakes, untested responses, and assumptions. */
export function Quality({ part }: { part: string }) {
  const isRead = useApp((state) => state.coverage !== undefined)
  const hasAssumptions = useApp((state) => state.assumptions.length > 0)
  useEffect(() => {
    if (part !== '') document.getElementById(part)?.scrollIntoView()
  }, [part, isRead, hasAssumptions])
  return (
    <>
      <h1 class="unseen">Quality</h1>
      <Findings />
      <NotTested />
      <Reports />
      <Assumptions />
    </>
  )
}
