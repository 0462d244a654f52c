import { useMemo, useState } from 'preact/hooks'
import { matchPath, operationOf, readShowing } from '../lib/shownBy.ts'
import type { ScenarioInfo } from '../lib/types.ts'
import { Section } from '../parts/Section.tsx'
import { loadScenario, replaceState } from '../state/change.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { Undo } from './Undo.tsx'

/** The starting states; one click loads one. */
export function Scenarios() {
  const scenarios = useApp((state) => state.scenarios)
  const present = useApp((state) => state.scenario)
  const [search, setSearch] = useState('')
  const shown = useMemo(() => {
    const wanted = search.toLowerCase()
    return scenarios.filter(({ name, description }) =>
      `${name} ${description}`.toLowerCase().includes(wanted),
    )
  }, [scenarios, search])
  return (
    <Section
      title="Scenarios"
      aside={
        <span class="actions">
          <Undo />
          <button type="button" onClick={() => void replaceState('/reset', `${present} begins anew.`)}>
            Reset
          </button>
        </span>
      }
    >
      <p class="muted">
        Loading one, or a reset of the present one, begins anew: state, journal, coverage and faults. Undo
        brings the state back.
      </p>
      <input
        type="search"
        aria-label="Search the scenarios"
        placeholder="Search scenarios…"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul class="scenarios">
        {shown.map((scenario) => (
          <Scenario key={scenario.name} {...scenario} isPresent={scenario.name === present} />
        ))}
      </ul>
      {shown.length === 0 && <p class="empty">No scenario is like that.</p>}
    </Section>
  )
}

function Scenario({ name, description, isPresent }: ScenarioInfo & { isPresent: boolean }) {
  const coverage = useApp((state) => state.coverage)
  const tryIt = isPresent ? tryLink({ name, description }, coverage?.operations ?? []) : undefined
  return (
    <li class={isPresent ? 'is-present' : ''}>
      <div>
        <b>{name}</b> {isPresent && <span class="mark">loaded</span>}
        <p>{description}</p>
        {tryIt && <a href={tryIt}>Send that request</a>}
      </div>
      <button type="button" class="small" aria-label={`Load ${name}`} onClick={() => void loadScenario(name)}>
        Load
      </button>
    </li>
  )
}

function tryLink(scenario: ScenarioInfo, operations: Parameters<typeof operationOf>[1]): string | undefined {
  const showing = readShowing(scenario)
  const operation = showing && operationOf(showing, operations)
  if (!showing || !operation) return undefined
  const values = matchPath(operation.path, showing.path) ?? {}
  return link('try', operation.operation, { ...values, ...(showing.body && { body: showing.body }) })
}
