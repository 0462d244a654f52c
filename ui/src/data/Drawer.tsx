import { useId, useState } from 'preact/hooks'
import { invoiceStatuses, serviceStatuses } from '../../../src/service/values.ts'
import { accountPath, admin } from '../lib/admin.ts'
import { capitalized, numberOf, plural } from '../lib/format.ts'
import { diffPatch, isObject, parseJson, textOf } from '../lib/json.ts'
import type { Patch, RecordKind, World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Editable, FieldError } from '../parts/Field.tsx'
import { Facts, Pane } from '../parts/small.tsx'
import { useEscape } from '../requests/Requests.tsx'
import { destroy, patchWorld } from '../state/actions.ts'
import { go, link } from '../state/route.ts'
import { getState } from '../state/store.ts'

interface Props {
  kind: RecordKind
  id: string
  world: World
}

/** The fields that are changed most; the others are edited as JSON. */
const inPlace: Record<RecordKind, [field: string, options?: readonly string[]][]> = {
  services: [['status', serviceStatuses], ['nextduedate'], ['bindedip'], ['price']],
  invoices: [['status', invoiceStatuses], ['date_paid'], ['amount']],
  clients: [['email']],
  products: [['productName'], ['price']],
}

/** Fields that name another record, and its kind */
const related = { product: 'products', client: 'clients', serviceid: 'services' }

/** One record, over the table. */
export function Drawer({ kind, id, world }: Props) {
  const record = world[kind][id] as Patch | undefined
  const name = `${kind.slice(0, -1)} ${id}`
  const close = () => {
    go(link('data', kind))
    document.querySelector<HTMLElement>('.table')?.focus()
  }
  useEscape(true, close)
  const orphans = orphansOf(kind, id, world)
  const remove = async () => {
    const account = accountPath(getState().account ?? '')
    const isDone = await destroy(
      `Before ${name} was deleted`,
      () => admin('PATCH', account, { [kind]: { [id]: null } }),
      `${capitalized(name)} deleted.${orphans && ` It is still named by ${orphans}.`}`,
    )
    if (isDone) close()
  }
  return (
    <Pane class="drawer" label={capitalized(name)} title={capitalized(name)} onClose={close}>
      {record ? (
        <>
          <p class="actions">
            {Object.entries(related)
              .filter(([field]) => field in record)
              .map(([field, of]) => (
                <a key={field} href={link('data', `${of}/${textOf(record[field])}`)}>
                  {capitalized(of.slice(0, -1))} {textOf(record[field])}
                </a>
              ))}
          </p>
          <Facts
            rows={inPlace[kind]
              .filter(([field]) => field !== 'bindedip' || record['product_type'] === 'fpr')
              .map(([field, options]) => [
                field,
                <Editable
                  key={field}
                  label={`${field} of ${name}`}
                  value={textOf(record[field])}
                  placeholder="none"
                  options={options}
                  onSave={(text) => saveField(kind, id, field, text, record[field])}
                />,
              ])}
          />
          <RecordJson key={JSON.stringify(record)} kind={kind} id={id} record={record} />
          <div class="actions">
            <Button action={remove}>Delete {name}</Button>
            {orphans && <span class="muted">named by {orphans}</span>}
          </div>
        </>
      ) : (
        <p class="muted">There is no {name}.</p>
      )}
    </Pane>
  )
}

function saveField(kind: RecordKind, id: string, field: string, text: string, old: unknown) {
  const value = text === '' ? null : typeof old === 'number' ? (numberOf(text) ?? text) : text
  return patchWorld(
    { [kind]: { [id]: { [field]: value } } },
    `${field} of ${kind.slice(0, -1)} ${id}: ${text || 'none'}.`,
  )
}

/** All of a record, to be changed and saved. */
function RecordJson({ kind, id, record }: { kind: RecordKind; id: string; record: Patch }) {
  const error = useId()
  const shown = JSON.stringify(record, null, 2)
  const [text, setText] = useState(shown)
  const [refused, setRefused] = useState<string>()
  const save = async () => {
    const edited = parseJson(text)
    if (!isObject(edited)) return setRefused('This is not a JSON object.')
    const patch = diffPatch(record, edited)
    if (patch === undefined) return setRefused(undefined)
    setRefused(
      await patchWorld({ [kind]: { [id]: patch } }, `${capitalized(kind.slice(0, -1))} ${id} saved.`),
    )
  }
  return (
    <div class="editable">
      <textarea
        aria-label={`All fields of ${kind.slice(0, -1)} ${id}, as JSON`}
        class="json-field"
        rows={Math.min(24, shown.split('\n').length + 1)}
        spellcheck={false}
        aria-invalid={refused !== undefined}
        {...(refused !== undefined && { 'aria-describedby': error })}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <FieldError id={error} reason={refused} />
      {text !== shown && (
        <div class="actions">
          <Button class="primary" action={save}>
            Save
          </Button>
          <button type="button" onClick={() => setText(shown)}>
            Discard
          </button>
        </div>
      )}
    </div>
  )
}

/** The number of records that name this one, and would still do so once it is deleted. */
function orphansOf(kind: RecordKind, id: string, { services, invoices }: World): string {
  const count = (records: object[], field: string) =>
    records.filter((record) => String((record as Patch)[field]) === id).length
  const served = count(Object.values(services), kind === 'clients' ? 'client' : 'product')
  const billed = count(Object.values(invoices), 'serviceid')
  if (kind === 'services') return billed > 0 ? plural(billed, 'invoice') : ''
  return kind !== 'invoices' && served > 0 ? plural(served, 'service') : ''
}
