import { useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { dateTime } from '../lib/format.ts'
import type { Snapshot } from '../lib/types.ts'
import { ActionButton, submits } from '../parts/ActionButton.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { Field } from '../parts/Field.tsx'
import { Section } from '../parts/Section.tsx'
import { replaceState } from '../state/change.ts'
import { attempt } from '../state/notices.ts'
import { getState, setState, useApp } from '../state/store.ts'
import { beforeLoad } from './Undo.tsx'
import { nameSnapshot, snapshotName } from './snapshotNames.ts'

/** States that can be gone back to, by names that this browser keeps. */
export function Snapshots() {
  const all = useApp((state) => state.snapshots)
  const snapshots = all.filter(({ id }) => id !== beforeLoad)
  const [name, setName] = useState('')
  const take = () =>
    attempt(async () => {
      const made = await admin<Snapshot>('POST', '/snapshots')
      nameSnapshot(made, name.trim())
      setName('')
      setState({ snapshots: [...getState().snapshots, made] })
    }, 'The snapshot is taken.')
  return (
    <Section title="Snapshots">
      <p class="muted">
        Take one before you try something, and restore it after. Names are kept in this browser.
      </p>
      <form class="inline-form" onSubmit={submits(take)}>
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              value={name}
              placeholder="optional"
              autocomplete="off"
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <ActionButton type="submit">Take snapshot</ActionButton>
      </form>
      <ul class="rows" aria-label="Snapshots">
        {snapshots.toReversed().map((snapshot) => (
          <OneSnapshot key={snapshot.id} {...snapshot} />
        ))}
      </ul>
    </Section>
  )
}

function OneSnapshot(snapshot: Snapshot) {
  const { id, time, scenario } = snapshot
  const [name, setName] = useState(snapshotName(snapshot))
  const shown = name === '' ? id : name
  return (
    <li>
      <span class="snapshot">
        <EditableText
          label={`Name of ${id}`}
          value={name}
          placeholder={id}
          onSave={(to) => {
            nameSnapshot(snapshot, to)
            setName(to)
            return Promise.resolve(undefined)
          }}
        />
        <span class="muted">
          {scenario}, {dateTime(Date.parse(time))} UTC
        </span>
      </span>
      <ActionButton
        class="small"
        aria-label={`Restore ${shown}`}
        action={() => replaceState(`/snapshots/${id}/restore`, `${shown} is restored.`)}
      >
        Restore
      </ActionButton>
    </li>
  )
}
