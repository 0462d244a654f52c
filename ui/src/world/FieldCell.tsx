import { EditableChoice } from '../parts/EditableChoice.tsx'
import { EditableText } from '../parts/EditableText.tsx'
import { savePatch } from '../state/change.ts'
import {
  fields,
  fieldPatch,
  fieldText,
  nameOf,
  type FieldForm,
  type RecordKind,
  type Records,
} from './fields.ts'

interface Props<Kind extends RecordKind> {
  kind: Kind
  id: string
  record: Records[Kind]
  field: keyof Records[Kind] & string
  placeholder?: string
  /** There is room for several lines. */
  isLong?: boolean
}

/** One field of a record, to be changed in place. */
export function FieldCell<Kind extends RecordKind>({
  kind,
  id,
  record,
  field,
  placeholder,
  isLong,
}: Props<Kind>) {
  const form: FieldForm = fields[kind][field]
  const value: unknown = record[field]
  const label = `${field} of ${nameOf(kind, id)}`
  const save = (text: string) => saveField(kind, id, field, fieldPatch(form, text, value))
  if (typeof form === 'object')
    return <EditableChoice label={label} value={fieldText(form, value)} options={form} onSave={save} />
  const isMoney = field === 'price' || field === 'amount'
  return (
    <EditableText
      label={label}
      value={isMoney && typeof value === 'number' ? value.toFixed(2) : fieldText(form, value)}
      {...(form === 'number' && { inputMode: 'decimal' as const })}
      {...(placeholder !== undefined && { placeholder })}
      isLong={isLong === true && form === 'json'}
      onSave={save}
    />
  )
}

/**
 * Saves a field.
 * @param value as a patch; undefined: there is nothing to save
 * @returns why it was refused
 */
export async function saveField(
  kind: RecordKind,
  id: string,
  field: string,
  value: unknown,
): Promise<string | undefined> {
  if (value === undefined) return undefined
  return savePatch({ [kind]: { [id]: { [field]: value } } }, (world) => {
    const now = (world[kind][id] as Record<string, unknown> | undefined)?.[field]
    return `${field} of ${nameOf(kind, id)} is ${outcome(value, now)}.`
  })
}

function outcome(value: unknown, now: unknown): string {
  if (now === undefined || now === '') return 'empty'
  if (value === null) return 'back to its default'
  return isText(value) ? String(value) : 'changed'
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value !== 'object'
}
