import type { JournalEntry } from '../lib/types.ts'
import { useNarrow } from '../parts/useNarrow.ts'
import { CreditPicture } from './CreditPicture.tsx'
import { DuePicture } from './DuePicture.tsx'

/** Where people would rather look than read. A narrow page shows them when asked. */
export function Pictures({ moment }: { moment: JournalEntry | undefined }) {
  const isNarrow = useNarrow()
  return (
    <details class="pictures" open={!isNarrow}>
      <summary>Credit, and what falls due</summary>
      <div>
        <CreditPicture moment={moment} />
        <DuePicture />
      </div>
    </details>
  )
}
