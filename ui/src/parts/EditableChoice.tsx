import { useId, useState } from 'preact/hooks'
import { Choice } from './Choice.tsx'
import { Refused } from './Refused.tsx'

interface Props {
  label: string
  value: string
  options: readonly string[]
  /** Resolves to why it was refused; what was chosen then stays, with the reason under it. */
  onSave: (value: string) => Promise<string | undefined>
}

/** A choice that is made in place. */
export function EditableChoice({ label, value, options, onSave }: Props) {
  const id = useId()
  const [refused, setRefused] = useState<{ value: string; reason: string }>()
  const save = async (chosen: string) => {
    const reason = chosen === value ? undefined : await onSave(chosen)
    setRefused(reason === undefined ? undefined : { value: chosen, reason })
  }
  return (
    <span class="editable">
      <Choice
        isBare
        label={label}
        value={refused?.value ?? value}
        options={options.includes(value) ? options : [value, ...options]}
        onChange={(chosen) => void save(chosen)}
      />
      {refused && <Refused id={id} reason={refused.reason} />}
    </span>
  )
}
