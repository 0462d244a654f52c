import { useState } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { matchPath } from '../lib/apiRequest.ts'
import { formatDateTime } from '../lib/format.ts'
import type { CoverageReport, ScenarioInfo } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { attempt, replaceState, restore, getSnapshotName, takeSnapshot } from '../state/actions.ts'
import { useApp } from '../state/store.ts'
import { ChipText } from './AccountMenus.tsx'

export function ScenarioMenu() {
  const scenario = useApp((state) => state.scenario)
  return (
    <Menu name="scenario" title="Scenario" width={480} label={<ChipText name="scenario" value={scenario} />}>
      <Snapshots />
      <Scenarios />
    </Menu>
  )
}

/** The scenarios. A click loads one. */
function Scenarios() {
  const scenarios = useApp((state) => state.scenarios)
  const current = useApp((state) => state.scenario)
  const [search, setSearch] = useState('')
  const coverage = useApp((state) => state.coverage)
  const shown = scenarios.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
  )
  const groups = groupScenarios(shown, coverage)
  return (
    <section aria-labelledby="scenarios">
      <div class="menu-head">
        <h2 id="scenarios">Load a scenario</h2>
        <Button class="small" action={() => replaceState('/reset', `Scenario ${current} reset.`)}>
          Reset {current}
        </Button>
      </div>
      <p class="muted">Replaces the state of all accounts, and empties the list of requests.</p>
      <Search items="scenarios" hint="Search by name, case or status" value={search} onInput={setSearch} />
      {groups.map(([title, members]) => (
        <section key={title} class="choice-group" aria-label={title}>
          <h3>{title}</h3>
          <ul class="choices">
            {members.map(({ name, description }) => (
              <li key={name}>
                <Button
                  aria-pressed={name === current}
                  title={description}
                  action={() =>
                    replaceState(`/scenarios/${encodeURIComponent(name)}/load`, `${name} loaded.`)
                  }
                >
                  <b>{name}</b> {errorOf(description) && <span class="mark">{errorOf(description)}</span>}{' '}
                  <small>{description.split(/: (?=[A-Z]+ \/)/, 1)}</small>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p class="muted">No scenarios match.</p>}
    </section>
  )
}

const states = 'Accounts, time and load'

const errorPattern = /: ([A-Z]+) (\S+)(?: .*)? is refused with ([\w-]+)/

/** The case of the error that a scenario shows, if any */
function errorOf(description: string): string | undefined {
  return errorPattern.exec(description)?.[3]
}

/** Groups scenarios by the operation whose error they show. The descriptions of the others name no error. */
function groupScenarios(
  scenarios: readonly ScenarioInfo[],
  coverage: CoverageReport | undefined,
): [title: string, scenarios: ScenarioInfo[]][] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const getTitle = (description: string): string => {
    const [, method, path = '', name] = errorPattern.exec(description) ?? []
    if (name === undefined) return states
    if (authentication.some((response) => response.case === name)) return 'Errors of every operation'
    const found = operations.find((one) => one.method === method && matchPath(one.path, path))
    return `Errors of ${found?.operation ?? 'other operations'}`
  }
  const titles = ['every operation', ...operations.map(({ operation }) => operation), 'other operations']
  return [states, ...titles.map((name) => `Errors of ${name}`)].flatMap((title) => {
    const members = scenarios.filter(({ description }) => getTitle(description) === title)
    return members.length > 0 ? [[title, members] as [string, ScenarioInfo[]]] : []
  })
}

function Snapshots() {
  const snapshots = useApp((state) => state.snapshots)
  const newestFirst = snapshots.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))
  return (
    <section aria-labelledby="snapshots">
      <div class="menu-head">
        <h2 id="snapshots">Snapshots</h2>
        <Button class="small" action={() => attempt(() => takeSnapshot('My snapshot'), 'Snapshot taken.')}>
          Take snapshot
        </Button>
      </div>
      {snapshots.length === 0 && (
        <p class="muted">No snapshots yet. One is taken before each action that can’t be reversed.</p>
      )}
      <Lines
        label="Snapshots"
        lines={newestFirst.map((snapshot) => {
          const name = getSnapshotName(snapshot)
          const time = formatDateTime(Date.parse(snapshot.time)).slice(11)
          return {
            key: snapshot.id,
            text: `${name}, ${time} UTC`,
            button: 'Restore',
            label: `Restore ${name}`,
            action: () => restore(snapshot.id, `Restored: ${name}.`),
          }
        })}
      />
    </section>
  )
}
