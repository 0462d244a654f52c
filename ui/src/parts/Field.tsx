import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Button, submitHandler } from './Button.tsx'

/** A control with a label above it. The control must use the given id. */
export function Field({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}

/** The reason for a refusal, shown under its field without moving the page. */
export function FieldError({ id, reason }: { id: string; reason: string | undefined }) {
  if (reason === undefined) return null
  return (
    <span class="field-error" role="alert" id={id}>
      {reason}
    </span>
  )
}

interface ChoiceProps {
  label: string
  /** Whether the label is only for screen readers */
  isBare?: boolean
  value: string
  options: readonly (string | { value: string; text: string })[]
  onChange: (value: string) => void
}

/** A labelled select. */
export function Choice({ label, isBare, value, options, onChange }: ChoiceProps) {
  const renderSelect = (name: { id: string } | { 'aria-label': string }) => (
    <select value={value} {...name} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map((option) => {
        const item = typeof option === 'string' ? { value: option, text: option } : option
        return (
          <option value={item.value} key={item.value}>
            {item.text}
          </option>
        )
      })}
    </select>
  )
  return isBare ? (
    renderSelect({ 'aria-label': label })
  ) : (
    <Field label={label}>{(id) => renderSelect({ id })}</Field>
  )
}

interface InputProps {
  label: string
  value: string
  placeholder?: string | undefined
  type?: 'password' | 'text'
  /** The reason if the value was refused */
  reason?: string | undefined
  onInput: (value: string) => void
  onBlur?: () => void
  onKeyDown?: (event: KeyboardEvent) => void
}

/** A field without a visible label, with the reason for a refusal under it. */
function Input({ label, type = 'text', reason, onInput, ...rest }: InputProps) {
  const id = useId()
  return (
    <span class="editable">
      <input
        {...rest}
        // The types only cover single combinations of attributes.
        {...({ type } as { type: 'text' })}
        aria-label={label}
        aria-invalid={reason !== undefined}
        {...(reason !== undefined && { 'aria-describedby': id })}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <FieldError id={id} reason={reason} />
    </span>
  )
}

/** A text field with a label above it. */
export function TextField({ label, ...rest }: InputProps) {
  return (
    <div class="field">
      <span aria-hidden="true">{label}</span>
      <Input label={label} {...rest} />
    </div>
  )
}

interface EditableProps {
  label: string
  value: string
  placeholder?: string
  /** The allowed values, or undefined if any text is allowed */
  options?: readonly string[] | undefined
  /** Resolves to the reason if the value was refused. The field then keeps the text and shows the reason. */
  onSave: (value: string) => Promise<string | undefined>
}

/** A value that is edited in place. Enter or leaving the field saves it; Escape reverts it. */
export function Editable({ label, value, placeholder, options, onSave }: EditableProps) {
  const [draft, setDraft] = useState<string>()
  const [refused, setRefused] = useState<{ draft: string; reason: string }>()
  const isSaving = useRef(false)
  const revert = () => {
    setDraft(undefined)
    setRefused(undefined)
  }
  const save = async (text: string | undefined) => {
    // Leaving the field doesn't send a refused value again.
    if (text === undefined || isSaving.current || text === refused?.draft) return
    if (text.trim() === value) return revert()
    isSaving.current = true
    const reason = await onSave(text.trim())
    isSaving.current = false
    if (reason === undefined) revert()
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
        <FieldError id="" reason={refused?.reason} />
      </span>
    )
  return (
    <Input
      label={label}
      placeholder={placeholder}
      value={draft ?? value}
      reason={refused?.reason}
      onInput={setDraft}
      onBlur={() => void save(draft)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void save(draft)
        if (event.key === 'Escape' && draft !== undefined) {
          event.preventDefault()
          revert()
        }
      }}
    />
  )
}

/** A search field. The key `/` focuses the first one on the page. */
export function Search({
  items,
  hint,
  value,
  onInput,
}: {
  items: string
  hint?: string
  value: string
  onInput: (value: string) => void
}) {
  return (
    <input
      type="search"
      aria-label={`Search ${items}`}
      placeholder={hint ?? `Search ${items}`}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
}

interface TextFormProps {
  label: string
  initial?: string
  placeholder?: string
  button: string
  isSecret?: boolean
  /** Resolves to the reason if the text was refused. */
  onSubmit: (text: string) => Promise<string | undefined>
}

/** A form with one field and a button. */
export function TextForm({ label, initial = '', placeholder, button, isSecret, onSubmit }: TextFormProps) {
  const [value, setValue] = useState(initial)
  const [reason, setReason] = useState<string>()
  return (
    <form class="inline" onSubmit={submitHandler(async () => setReason(await onSubmit(value.trim())))}>
      <Input
        {...{ label, value, placeholder, reason }}
        type={isSecret ? 'password' : 'text'}
        onInput={setValue}
      />
      <Button type="submit">{button}</Button>
    </form>
  )
}
