import { useId, useRef, useState } from 'preact/hooks'
import { Choice, FieldError } from './Field.tsx'

interface Props {
  label: string
  value: string
  placeholder?: string
  /** What can be chosen; left out if anything can be typed */
  options?: readonly string[]
  isNumber?: boolean
  /** Resolves to why it was refused; what was typed then stays, with the reason under it. */
  onSave: (value: string) => Promise<string | undefined>
}

/** A value that is changed in place: Enter or leaving the field saves, Escape takes back. */
export function Editable({ label, value, placeholder, options, isNumber, onSave }: Props) {
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const [refused, setRefused] = useState<{ draft: string; reason: string }>()
  const isSaving = useRef(false)
  const takeBack = () => {
    setDraft(undefined)
    setRefused(undefined)
  }
  const save = async (text: string) => {
    // Leaving the field does not send again what was refused.
    if (isSaving.current || text === refused?.draft) return
    if (text.trim() === value) return takeBack()
    isSaving.current = true
    const reason = await onSave(text.trim())
    isSaving.current = false
    if (reason === undefined) takeBack()
    else setRefused({ draft: text, reason })
  }
  if (options)
    return (
      <span class="editable">
        <Choice
          isBare
          label={label}
          value={value}
          options={options.includes(value) ? options : [value, ...options]}
          onChange={(chosen) => void save(chosen)}
        />
        <FieldError id={id} reason={refused?.reason} />
      </span>
    )
  return (
    <span class="editable">
      <input
        aria-label={label}
        aria-invalid={refused !== undefined}
        {...(refused && { 'aria-describedby': id })}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        inputMode={isNumber ? 'decimal' : 'text'}
        value={draft ?? value}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => draft !== undefined && void save(draft)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && draft !== undefined) void save(draft)
          if (event.key === 'Escape' && draft !== undefined) {
            event.preventDefault()
            takeBack()
          }
        }}
      />
      <FieldError id={id} reason={refused?.reason} />
    </span>
  )
}
