import { useRef, useState } from 'preact/hooks'
import { useReadOnly } from '../state/pastWorld.ts'

interface Props {
  label: string
  value: string
  /** Resolves to whether it was taken; else the field shows what it was. */
  onSave: (value: string) => Promise<boolean>
  inputMode?: 'decimal' | 'text'
  placeholder?: string
  class?: string
}

/** A value that is changed in place: Enter or leaving the field saves, Escape takes back. */
export function EditableText({
  label,
  value,
  onSave,
  inputMode = 'text',
  placeholder,
  class: more = '',
}: Props) {
  const [draft, setDraft] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const isReadOnly = useReadOnly()
  const isSaving = useRef(false)
  const save = async () => {
    if (draft === undefined || isReadOnly || isSaving.current) return
    isSaving.current = true
    if (draft.trim() !== value) await onSave(draft.trim())
    isSaving.current = false
    setDraft(undefined)
  }
  return (
    <input
      ref={field}
      class={`in-place ${more}`}
      aria-label={label}
      inputMode={inputMode}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      readOnly={isReadOnly}
      value={draft ?? value}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void save()
        if (event.key === 'Escape') setDraft(undefined)
      }}
    />
  )
}
