import { useState } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { formatDateTime } from '../lib/format.ts'
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

/** The scenarios, those that show an error last. A click loads one. */
function Scenarios() {
  const scenarios = useApp((state) => state.scenarios)
  const current = useApp((state) => state.scenario)
  const [search, setSearch] = useState('')
  const shown = scenarios
    .map(({ name, description }) => ({ name, description, error: errorPattern.exec(description)?.[1] }))
    .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(search.toLowerCase()))
    .toSorted((a, b) => Number(a.error !== undefined) - Number(b.error !== undefined))
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
      <ul class="choices">
        {shown.map(({ name, description, error }) => (
          <li key={name}>
            <Button
              aria-pressed={name === current}
              title={description}
              action={() => replaceState(`/scenarios/${encodeURIComponent(name)}/load`, `${name} loaded.`)}
            >
              <b>{name}</b> {error && <span class="mark">{error}</span>}{' '}
              <small>{description.split(/: (?=[A-Z]+ \/)/, 1)}</small>
            </Button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No scenarios match.</p>}
    </section>
  )
}

/** The end of a description that names the case of an error */
const errorPattern = /: [A-Z]+ \S+(?: .*)? is refused with ([\w-]+)/

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
