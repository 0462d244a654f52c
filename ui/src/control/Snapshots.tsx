import { admin } from '../lib/admin.ts'
import { dateTime } from '../lib/format.ts'
import type { Snapshot } from '../lib/types.ts'
import { Section } from '../parts/Section.tsx'
import { replaceState } from '../state/change.ts'
import { attempt } from '../state/notices.ts'
import { getState, setState, useApp } from '../state/store.ts'

/** Kept states, to go back to. */
export function Snapshots() {
  const snapshots = useApp((state) => state.snapshots)
  const keep = () =>
    attempt(async () => {
      const made = await admin<Snapshot>('POST', '/snapshots')
      setState({ snapshots: [...getState().snapshots, made] })
    }, 'The state is kept.')
  return (
    <Section
      title="Snapshots"
      aside={
        <button type="button" onClick={() => void keep()}>
          Keep the state
        </button>
      }
    >
      {snapshots.length === 0 && (
        <p class="muted">None yet. Keep the state before you try something, and go back after.</p>
      )}
      <ul class="rows">
        {snapshots.map(({ id, time, scenario }) => (
          <li key={id}>
            <span>
              <b>{id}</b> {scenario} <span class="muted">{dateTime(Date.parse(time))} UTC</span>
            </span>
            <button
              type="button"
              class="small"
              aria-label={`Go back to ${id}`}
              onClick={() => void replaceState(`/snapshots/${id}/restore`, `Back at ${id}.`)}
            >
              Go back
            </button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
