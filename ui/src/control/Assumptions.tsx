import type { Assumption, Patch, WorldView } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { Section } from '../parts/Section.tsx'
import { patchWorld } from '../state/change.ts'
import { useApp } from '../state/store.ts'

/** Where the document is silent: the readings, to switch for this account. */
export function Assumptions() {
  const assumptions = useApp((state) => state.assumptions)
  const world = useApp((state) => state.world)
  const account = useApp((state) => state.account)
  if (!world) return null
  return (
    <Section title="Assumptions" aside={<span class="muted">of {account}</span>}>
      <p class="muted">
        Where the API’s document is silent, something had to be chosen. A client should survive every reading.
      </p>
      <ul class="assumptions">
        {assumptions.map((one) => (
          <Reading key={one.id} assumption={one} current={currentOf(one, world)} />
        ))}
      </ul>
    </Section>
  )
}

function Reading({ assumption, current }: { assumption: Assumption; current: string }) {
  const { id, gap, operations, meaning } = assumption
  const listed = [assumption.default, ...assumption.alternatives].map(String)
  const options = listed.includes(current) ? listed : [current, ...listed]
  return (
    <li>
      <div>
        <b>{id}</b> <span class="muted">{operations.join(', ')}</span>
        <p>{gap}</p>
        <p class="muted">{meaning[current]}</p>
      </div>
      <Choice
        isBare
        label={`Reading of ${id}`}
        value={current}
        options={options.map((value) => ({
          value,
          text: value === String(assumption.default) ? `${value} (default)` : value,
        }))}
        onChange={(value) => void patchWorld(patchOf(id, value), `${id} is read as ${value}.`)}
      />
    </li>
  )
}

/** The interval is a number of any size, and stands among the limits. */
function currentOf({ id, default: fallback }: Assumption, world: WorldView): string {
  if (id === 'updateListInterval') return String(world.limits.updateListInterval)
  const readings: Readonly<Record<string, string>> = { ...world.assumptions }
  return readings[id] ?? String(fallback)
}

function patchOf(id: string, value: string): Patch {
  return id === 'updateListInterval'
    ? { limits: { updateListInterval: Number(value) } }
    : { assumptions: { [id]: value } }
}
