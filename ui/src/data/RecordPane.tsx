import { useId, useState } from 'preact/hooks'
import { listAddresses } from '../../../src/service/addresses.ts'
import { accountPath, admin } from '../lib/admin.ts'
import { capitalize, parseNumber, pluralize } from '../lib/format.ts'
import { diffPatch, isObject, parseJson, toText } from '../lib/json.ts'
import type { Patch, RecordKind, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Editable, FieldError } from '../parts/Field.tsx'
import { Pane, useEscape } from '../parts/Pane.tsx'
import { Facts } from '../parts/small.tsx'
import { patchWorld, withUndo } from '../state/actions.ts'
import { go, link } from '../state/route.ts'
import { getState } from '../state/store.ts'
import { kinds } from './kinds.gen.ts'

interface Props {
  kind: RecordKind
  id: string
  world: World
}

interface Kind {
  noun: string
  /** Kind of the record that a field refers to, by field */
  owners: Readonly<Record<string, RecordKind>>
  /** Fields with their own input. The others are edited as JSON. */
  form: readonly { field: string; only?: string; options?: readonly string[] }[]
}

/** A record next to its table. */
export function RecordPane({ kind, id, world }: Props) {
  const record = world[kind][id] as Patch | undefined
  const { noun, owners, form }: Kind = kinds[kind]
  const name = `${noun} ${id}`
  const close = () => {
    go(link('data', kind))
    document.querySelector<HTMLElement>('.table')?.focus()
  }
  useEscape(true, close)
  const orphans = describeOrphans(kind, id, world)
  const remove = async () => {
    const account = accountPath(getState().account ?? '')
    const isDone = await withUndo(
      `Before deleting ${name}`,
      () => admin('PATCH', account, { [kind]: { [id]: null } }),
      `${capitalize(name)} deleted.${orphans && ` It is still referenced by ${orphans}.`}`,
    )
    if (isDone) close()
  }
  return (
    <Pane label={capitalize(name)} title={capitalize(name)} onClose={close}>
      {record ? (
        <>
          <p class="actions">
            {Object.entries(owners)
              .filter(([field]) => field in record)
              .map(([field, of]) => (
                <a key={field} href={link('data', `${of}/${toText(record[field])}`)}>
                  {capitalize(kinds[of].noun)} {toText(record[field])}
                </a>
              ))}
          </p>
          <Facts
            rows={form
              .filter(({ only }) => only === undefined || record['product_type'] === only)
              .map(({ field, options }) => [
                field,
                <Editable
                  key={field}
                  label={`${field} of ${name}`}
                  value={toText(record[field])}
                  placeholder="none"
                  options={options}
                  onSave={(text) => saveField(kind, id, field, text, record[field])}
                />,
              ])}
          />
          {kind === 'services' && <Facts rows={[['IP list', formatIpList(id, world)]]} />}
          <RecordJson key={JSON.stringify(record)} kind={kind} id={id} record={record} />
          <div class="actions">
            <Button action={remove}>Delete {name}</Button>
            {orphans && <span class="muted">referenced by {orphans}</span>}
          </div>
        </>
      ) : (
        <p class="muted">{capitalize(name)} doesn’t exist.</p>
      )}
    </Pane>
  )
}

/** Maximum number of a service's addresses that are listed */
const maxAddresses = 5

/** The addresses of a service's IP list. An order that binds no address returns the first one. */
function formatIpList(id: string, world: World): string {
  const service = world.services[id]
  const addresses = service ? listAddresses(world, id, service) : []
  const more = addresses.length - maxAddresses
  return [...addresses.slice(0, maxAddresses), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function saveField(kind: RecordKind, id: string, field: string, text: string, old: unknown) {
  const value = text === '' ? null : typeof old === 'number' ? (parseNumber(text) ?? text) : text
  return patchWorld(
    { [kind]: { [id]: { [field]: value } } },
    `${field} of ${kinds[kind].noun} ${id} set to ${text || 'none'}.`,
  )
}

/** A record as editable JSON. */
function RecordJson({ kind, id, record }: { kind: RecordKind; id: string; record: Patch }) {
  const error = useId()
  const initialText = JSON.stringify(record, null, 2)
  const [text, setText] = useState(initialText)
  const [refused, setRefused] = useState<string>()
  const save = async () => {
    const edited = parseJson(text)
    if (!isObject(edited)) return setRefused('Enter a valid JSON object.')
    const patch = diffPatch(record, edited)
    if (patch === undefined) return setRefused(undefined)
    setRefused(await patchWorld({ [kind]: { [id]: patch } }, `${capitalize(kinds[kind].noun)} ${id} saved.`))
  }
  return (
    <div class="editable">
      <textarea
        aria-label={`All fields of ${kinds[kind].noun} ${id}, as JSON`}
        class="json-field"
        rows={Math.min(24, initialText.split('\n').length + 1)}
        spellcheck={false}
        aria-invalid={refused !== undefined}
        {...(refused !== undefined && { 'aria-describedby': error })}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <FieldError id={error} reason={refused} />
      {text !== initialText && (
        <div class="actions">
          <Button class="primary" action={save}>
            Save
          </Button>
          <button type="button" onClick={() => setText(initialText)}>
            Discard
          </button>
        </div>
      )}
    </div>
  )
}

/** The records that would still refer to this one after its deletion: `1 service and 2 invoices` */
function describeOrphans(kind: RecordKind, id: string, world: World): string {
  const counts = Object.entries<Kind>(kinds).flatMap(([kindName, { noun, owners }]) => {
    const fields = Object.keys(owners).filter((field) => owners[field] === kind)
    const records = Object.values<object>(world[kindName as RecordKind]) as Patch[]
    const count = records.filter((record) => fields.some((field) => String(record[field]) === id)).length
    return count > 0 ? [pluralize(count, noun)] : []
  })
  return counts.join(' and ')
}
