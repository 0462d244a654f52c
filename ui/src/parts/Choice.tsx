import { useReadOnly } from '../state/pastWorld.ts'
import { Field } from './Field.tsx'

interface Props<Value extends string> {
  label: string
  /** The label is for screen readers only; else it stands above. */
  isBare?: boolean
  value: string
  options: readonly (Value | { value: Value; text: string })[]
  onChange: (value: Value) => void
}

/** A labelled list to choose from. */
export function Choice<Value extends string>({ label, isBare, value, options, onChange }: Props<Value>) {
  const isReadOnly = useReadOnly()
  const list = (name: { id: string } | { 'aria-label': string }) => (
    <select
      value={value}
      {...name}
      disabled={isReadOnly}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    >
      {options.map((option) => {
        const one = typeof option === 'string' ? { value: option, text: option } : option
        return (
          <option value={one.value} key={one.value}>
            {one.text}
          </option>
        )
      })}
    </select>
  )
  return isBare ? list({ 'aria-label': label }) : <Field label={label}>{(id) => list({ id })}</Field>
}
