import { useId, useRef, useState } from 'preact/hooks'
import { useReadOnly } from '../state/pastWorld.ts'
import { Refused } from './Refused.tsx'

interface Props {
  label: string
  value: string
  /** Resolves to why it was refused; what was typed then stays, with the reason under it. */
  onSave: (value: string) => Promise<string | undefined>
  inputMode?: 'decimal' | 'text'
  placeholder?: string
  /** Several lines: Enter makes another one. */
  isLong?: boolean
}

/** A value that is changed in place: Enter or leaving the field saves, Escape takes back. */
export function EditableText({ label, value, onSave, inputMode = 'text', placeholder, isLong }: Props) {
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const [refused, setRefused] = useState<{ draft: string; reason: string }>()
  const isReadOnly = useReadOnly()
  const isSaving = useRef(false)
  const takeBack = () => {
    setDraft(undefined)
    setRefused(undefined)
  }
  const save = async () => {
    // Leaving the field does not send again what was refused.
    if (draft === undefined || isReadOnly || isSaving.current || draft === refused?.draft) return
    if (draft.trim() === value) return takeBack()
    isSaving.current = true
    const reason = await onSave(draft.trim())
    isSaving.current = false
    if (reason === undefined) takeBack()
    else setRefused({ draft, reason })
  }
  const common = {
    class: 'in-place',
    'aria-label': label,
    'aria-invalid': refused !== undefined,
    ...(refused && { 'aria-describedby': id }),
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    readOnly: isReadOnly,
    value: draft ?? value,
    onBlur: () => void save(),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && !isLong) void save()
      if (event.key === 'Escape' && draft !== undefined) {
        event.preventDefault()
        takeBack()
      }
    },
  }
  return (
    <span class="editable">
      {isLong ? (
        <textarea rows={4} {...common} onInput={(event) => setDraft(event.currentTarget.value)} />
      ) : (
        <input {...common} inputMode={inputMode} onInput={(event) => setDraft(event.currentTarget.value)} />
      )}
      {refused && <Refused id={id} reason={refused.reason} />}
    </span>
  )
}
