import { useId } from 'preact/hooks'
import type { JournalEntry } from '../lib/types.ts'
import type { LookBack } from './useLookBack.ts'
import { ActionButton } from '../parts/ActionButton.tsx'

/** Over the account's requests, the oldest at the left; at the right end is now. Arrow keys move it. */
export function TimeSlider({ entries, chosen, choose, goBack, isRead, refusal }: LookBack) {
  const id = useId()
  if (entries.length === 0) return null
  const moment = chosen ? `before ${nameOf(chosen)}` : 'now'
  return (
    <section class={`look-back callout ${chosen ? 'callout-forced' : ''}`} aria-label="Look back">
      <label for={id}>Look back</label>
      <input
        id={id}
        type="range"
        min={0}
        max={entries.length}
        step={1}
        value={chosen ? entries.indexOf(chosen) : entries.length}
        aria-valuetext={moment}
        onInput={(event) => choose(entries[Number(event.currentTarget.value)])}
      />
      {chosen ? (
        <>
          <p role="status">
            {refusal ??
              (isRead ? `As it was before ${nameOf(chosen)}, read only` : `Reading how it was ${moment}…`)}
          </p>
          <div class="actions">
            {isRead && refusal === undefined && (
              <ActionButton class="small" action={goBack}>
                Go back to here
              </ActionButton>
            )}
            <button type="button" class="small" onClick={() => choose(undefined)}>
              Show now
            </button>
          </div>
        </>
      ) : (
        <p class="muted">now</p>
      )}
    </section>
  )
}

function nameOf({ id, method, path }: JournalEntry): string {
  return `#${id} ${method} ${path}`
}
