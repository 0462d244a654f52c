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
  const list = (
    <select
      value={value}
      {...(isBare && { 'aria-label': label })}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    >
      {options.map((option) => {
        const { value: name, text } = typeof option === 'string' ? { value: option, text: option } : option
        return (
          <option value={name} key={name}>
            {text}
          </option>
        )
      })}
    </select>
  )
  if (isBare) return list
  return (
    <label class="field">
      <span>{label}</span>
      {list}
    </label>
  )
}
