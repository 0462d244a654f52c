import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Button, submits } from './Button.tsx'

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

interface ChoiceProps {
  label: string
  /** The label is for screen readers only. */
  isBare?: boolean
  value: string
  options: readonly (string | { value: string; text: string })[]
  onChange: (value: string) => void
}

/** A labelled list to choose from. */
export function Choice({ label, isBare, value, options, onChange }: ChoiceProps) {
  const list = (name: { id: string } | { 'aria-label': string }) => (
    <select value={value} {...name} onChange={(event) => onChange(event.currentTarget.value)}>
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

interface InputProps {
  label: string
  value: string
  placeholder?: string | undefined
  type?: 'password' | 'text'
  /** Why what was entered was refused */
  reason?: string | undefined
  onInput: (value: string) => void
  onBlur?: () => void
  onKeyDown?: (event: KeyboardEvent) => void
}

/** A field without a label to be seen, and under it what is wrong with it. */
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

/** A field with its label above. */
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
  /** The allowed values; undefined for any text */
  options?: readonly string[] | undefined
  /** Resolves to why it was refused; what was typed then stays, with the reason under it. */
  onSave: (value: string) => Promise<string | undefined>
}

/** A value that is changed in place: Enter or leaving the field saves, Escape reverts it. */
export function Editable({ label, value, placeholder, options, onSave }: EditableProps) {
  const [draft, setDraft] = useState<string>()
  const [refused, setRefused] = useState<{ draft: string; reason: string }>()
  const isSaving = useRef(false)
  const revert = () => {
    setDraft(undefined)
    setRefused(undefined)
  }
  const save = async (text: string | undefined) => {
    // Leaving the field does not send again what was refused.
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

/** Looks for words in what is listed; `/` focuses the first one of a page. */
export function Search({
  what,
  hint,
  value,
  onInput,
}: {
  what: string
  hint?: string
  value: string
  onInput: (value: string) => void
}) {
  return (
    <input
      type="search"
      aria-label={`Search the ${what}`}
      placeholder={hint ?? `Search ${what}`}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  )
}

interface TextFormProps {
  label: string
  first?: string
  placeholder?: string
  button: string
  isSecret?: boolean
  /** Resolves to why it was refused. */
  onSubmit: (text: string) => Promise<string | undefined>
}

/** One field with its button. */
export function TextForm({ label, first = '', placeholder, button, isSecret, onSubmit }: TextFormProps) {
  const [value, setValue] = useState(first)
  const [reason, setReason] = useState<string>()
  return (
    <form class="inline" onSubmit={submits(async () => setReason(await onSubmit(value.trim())))}>
      <Input
        {...{ label, value, placeholder, reason }}
        type={isSecret ? 'password' : 'text'}
        onInput={setValue}
      />
      <Button type="submit">{button}</Button>
    </form>
  )
}
