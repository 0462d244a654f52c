import { useMemo, useState } from 'preact/hooks'
import { operationOf, readShowing, requestOf } from '../lib/shownBy.ts'
import type { ScenarioInfo } from '../lib/types.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
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
          <ActionButton action={() => replaceState('/reset', `${present} begins anew.`)}>Reset</ActionButton>
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
      {shown.length === 0 && <p class="empty">No scenario matches.</p>}
    </Section>
  )
}

function Scenario({ name, description, isPresent }: ScenarioInfo & { isPresent: boolean }) {
  const coverage = useApp((state) => state.coverage)
  const showing = isPresent ? readShowing({ name, description }) : undefined
  const operation = showing && operationOf(showing, coverage?.operations ?? [])
  return (
    <li class={isPresent ? 'is-present' : ''}>
      <div>
        <b>{name}</b> {isPresent && <span class="mark">loaded</span>}
        <p>{description}</p>
        {operation && (
          <a href={link('try', operation.operation, requestOf(operation, showing))}>Send that request</a>
        )}
      </div>
      <ActionButton class="small" aria-label={`Load ${name}`} action={() => loadScenario(name)}>
        Load
      </ActionButton>
    </li>
  )
}
