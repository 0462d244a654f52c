import { useMemo, useState } from 'preact/hooks'
import { coverageSummary } from '../../../src/journal/Coverage.ts'
import { readShowing, showingOf, type Showing } from '../lib/shownBy.ts'
import type { CoverageReport } from '../lib/types.ts'
import { Bar } from '../parts/Bar.tsx'
import { useApp } from '../state/store.ts'
import { rowsOf, type Cell, type Operation, type Outcome } from './Cell.ts'
import { CellDetail } from './CellDetail.tsx'
import { Sweep } from './Sweep.tsx'

/** Which answers of the contract the client has met: operations by outcomes. */
export function Coverage() {
  const coverage = useApp((state) => state.coverage)
  const scenarios = useApp((state) => state.scenarios)
  const showings = useMemo(
    () => scenarios.map(readShowing).filter((one): one is Showing => one !== undefined),
    [scenarios],
  )
  const names = useMemo(() => columnsOf(coverage), [coverage])
  if (!coverage) return <h1>Coverage</h1>
  const { percent } = coverage
  const operations = rowsOf(coverage)
  return (
    <>
      <div class="title-line">
        <h1>Coverage</h1>
        <span class="muted">{coverageSummary(coverage)}, since the last reset</span>
      </div>
      <p class="coverage-sum">
        <b class="figure">{percent}%</b>
        <Bar share={percent / 100} />
      </p>
      <p class="muted">
        Choose a cell to load the scenario that shows it, or to arm a fault with it. Grey ones were not
        exercised yet.
      </p>
      <div class="grid-box" tabindex={0} role="region" aria-label="Operations by outcomes">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              {names.map((name) => (
                <th scope="col" key={name} class="grid-name">
                  <span>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map((operation) => (
              <tr key={operation.operation}>
                <th scope="row">{operation.operation}</th>
                {names.map((name) => (
                  <td key={name}>
                    {operation.responses
                      .filter((outcome) => nameOf(outcome) === name)
                      .map((outcome) => (
                        <GridCell
                          key={outcome.status}
                          operation={operation}
                          outcome={outcome}
                          showings={showings}
                        />
                      ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Sweep />
    </>
  )
}

function GridCell({ operation, outcome, showings }: Cell & { showings: readonly Showing[] }) {
  const [isOpen, setOpen] = useState(false)
  const id = `cell-${operation.operation}-${nameOf(outcome)}`
  return (
    <span>
      <button
        type="button"
        title={titleOf(operation, outcome, showings)}
        class={`cell ${outcome.hits ? 'is-hit' : ''}`}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': id })}
        onClick={() => setOpen(true)}
      >
        <span>
          <span class="unseen">
            {operation.operation} {nameOf(outcome)}{' '}
          </span>
          {outcome.status}
        </span>
        {outcome.hits ? <b>{outcome.hits}</b> : <span class="unseen">not exercised</span>}
      </button>
      {isOpen && (
        <CellDetail
          id={id}
          operation={operation}
          outcome={outcome}
          showings={showings}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  )
}

/** The scenario that shows it, where one does. */
function titleOf(operation: Operation, outcome: Outcome, showings: readonly Showing[]): string | undefined {
  const shown = showingOf(operation, outcome.case, showings)
  return shown?.isExact ? `Scenario ${shown.showing.scenario}` : undefined
}

function nameOf(outcome: Outcome): string {
  return outcome.case ?? 'success'
}

/** Success first, then the cases, the commonest first. */
function columnsOf(coverage: CoverageReport | undefined): string[] {
  const counts = new Map<string, number>()
  for (const { responses } of coverage ? rowsOf(coverage) : [])
    for (const outcome of responses) counts.set(nameOf(outcome), (counts.get(nameOf(outcome)) ?? 0) + 1)
  const rank = (name: string) => (name === 'success' ? Infinity : (counts.get(name) ?? 0))
  return [...counts.keys()].toSorted((a, b) => rank(b) - rank(a) || a.localeCompare(b))
}
