import type { ComponentChildren } from 'preact'
import { plural } from '../lib/format.ts'

interface Props {
  what: string
  value: string
  found: number
  onChange: (text: string) => void
  children?: ComponentChildren
}

export function SearchField({ what, value, found, onChange, children }: Props) {
  return (
    <search class="filters">
      <input
        type="search"
        aria-label={`Search the ${what}`}
        placeholder={`Search ${what}…`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {children}
      <span class="muted" role="status">
        {value && plural(found, 'match', 'matches')}
      </span>
    </search>
  )
}
