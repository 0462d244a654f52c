import { numberOf } from '../lib/numberOf.ts'
import type { Assumption, Patch, WorldView } from '../lib/types.ts'
import { EditableChoice } from '../parts/EditableChoice.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { Prose } from '../parts/Prose.tsx'
import { Section } from '../parts/Section.tsx'
import { savePatch } from '../state/change.ts'
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
  const save = (value: string) => savePatch(patchOf(id, value), `${id} is read as ${value}.`)
  return (
    <li>
      <div>
        <b>{id}</b> <span class="muted">{operations.join(', ')}</span>
        <p>
          <Prose text={gap} />
        </p>
        <p class="muted">
          <Prose text={meaning[current] ?? ''} /> {current === String(assumption.default) && '(default)'}
        </p>
      </div>
      {id === interval ? (
        <EditableText label={`Reading of ${id}`} value={current} inputMode="decimal" onSave={save} />
      ) : (
        <EditableChoice label={`Reading of ${id}`} value={current} options={listed} onSave={save} />
      )}
    </li>
  )
}

/** A number of any size, which stands among the limits */
const interval = 'updateListInterval'

function currentOf({ id, default: fallback }: Assumption, world: WorldView): string {
  if (id === interval) return String(world.limits.updateListInterval)
  const readings: Readonly<Record<string, string>> = { ...world.assumptions }
  return readings[id] ?? String(fallback)
}

/** Text that isn't a number is sent as typed, so that the simulator says what is wrong. */
function patchOf(id: string, value: string): Patch {
  return id === interval
    ? { limits: { updateListInterval: numberOf(value) ?? value } }
    : { assumptions: { [id]: value } }
}
