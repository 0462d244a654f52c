import { ActionButton } from '../parts/ActionButton.tsx'
import { undo } from '../state/change.ts'
import { useApp } from '../state/store.ts'

/** The snapshot of what a load or a reset replaced. */
export const beforeLoad = 'before-load'

/** Brings back what the last load or reset replaced, if there was one. */
export function Undo() {
  const replaced = useApp(({ snapshots }) => snapshots.find(({ id }) => id === beforeLoad))
  if (!replaced) return null
  return (
    <ActionButton
      title={`Bring back what was replaced at ${replaced.time.slice(11, 19)} UTC (${replaced.scenario})`}
      action={undo}
    >
      Undo
    </ActionButton>
  )
}
