import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A labelled control: the label stands above it; the control takes the id that it is given. */
export function Field({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}

/** Why something was refused, under the field that it was entered in; it moves nothing. */
export function FieldError({ id, reason }: { id: string; reason: string | undefined }) {
  if (reason === undefined) return null
  return (
    <span class="field-error" role="alert" id={id}>
      {reason}
    </span>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  /** The label is for screen readers only. */
  isBare?: boolean
  value: string
  options: readonly (Value | { value: Value; text: string })[]
  onChange: (value: Value) => void
}

/** A labelled list to choose from. */
export function Choice<Value extends string>({
  label,
  isBare,
  value,
  options,
  onChange,
}: ChoiceProps<Value>) {
  const list = (name: { id: string } | { 'aria-label': string }) => (
    <select value={value} {...name} onChange={(event) => onChange(event.currentTarget.value as Value)}>
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

interface TextProps {
  label: string
  value: string
  placeholder?: string
  isNumber?: boolean
  onInput: (value: string) => void
}

export function TextField({ label, value, placeholder, isNumber, onInput }: TextProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          value={value}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          inputMode={isNumber ? 'decimal' : 'text'}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
