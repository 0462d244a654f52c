import { useId, useState } from 'preact/hooks'
import { Choice } from './Choice.tsx'
import { Refused } from './Refused.tsx'

interface Props {
  label: string
  value: string
  options: readonly string[]
  /** Resolves to why it was refused, which then stands under the choice. */
  onSave: (value: string) => Promise<string | undefined>
}

/** A choice that is made in place. */
export function EditableChoice({ label, value, options, onSave }: Props) {
  const id = useId()
  const [refused, setRefused] = useState<string>()
  const save = async (chosen: string) => {
    setRefused(chosen === value ? undefined : await onSave(chosen))
  }
  return (
    <span class="editable">
      <Choice
        isBare
        label={label}
        value={value}
        options={options.includes(value) ? options : [value, ...options]}
        onChange={(chosen) => void save(chosen)}
      />
      {refused !== undefined && <Refused id={id} reason={refused} />}
    </span>
  )
}
