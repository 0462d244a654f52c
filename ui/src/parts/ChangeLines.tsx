import type { ChangeLine } from '../lib/describeChange.ts'

const words = { '+': 'added', '−': 'removed', '~': 'changed' }

/** A change, line by line, with what was before. */
export function ChangeLines({ lines }: { lines: readonly ChangeLine[] }) {
  return (
    <ul class="changes">
      {lines.map(({ sign, what, before, after }) => (
        <li key={what} class={`change-${words[sign]}`}>
          <span class="sign" aria-label={words[sign]} role="img">
            {sign}
          </span>{' '}
          <span>{what}</span>
          {after !== undefined && (
            <>
              {' '}
              {before !== undefined && <del>{before}</del>} <span aria-hidden="true">→</span>
              <span class="unseen">is now</span> <ins>{after}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
