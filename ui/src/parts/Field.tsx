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

interface EditableProps {
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
export function Editable({ label, value, placeholder, options, isNumber, onSave }: EditableProps) {
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
  /** Resolves to why it was refused. */
  onSubmit: (text: string) => Promise<string | undefined>
}

/** One field with its button. */
export function TextForm({ label, first = '', placeholder, button, onSubmit }: TextFormProps) {
  const id = useId()
  const [text, setText] = useState(first)
  const [refused, setRefused] = useState<string>()
  return (
    <form class="inline editable" onSubmit={submits(async () => setRefused(await onSubmit(text.trim())))}>
      <input
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={refused !== undefined}
        {...(refused !== undefined && { 'aria-describedby': id })}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit">{button}</Button>
      <FieldError id={id} reason={refused} />
    </form>
  )
}
