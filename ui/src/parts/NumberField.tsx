import { Field } from './Field.tsx'

interface Props {
  label: string
  value: string
  placeholder?: string
  min?: number
  max?: number
  onInput: (value: string) => void
}

export function NumberField({ label, value, placeholder, min = 0, max, onInput }: Props) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          type="number"
          step="any"
          min={min}
          max={max}
          value={value}
          placeholder={placeholder}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
