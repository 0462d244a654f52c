import { ActionButton } from '../parts/ActionButton.tsx'
import { patchWorld } from '../state/change.ts'
import { tell } from '../state/notices.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { go } from '../state/route.ts'
import { fieldsOf, nameOf, type RecordKind } from './fields.ts'
import { FieldCell } from './FieldCell.tsx'

/** All of one record, each field to be changed in place. */
export function RecordPanel({ kind, id }: { kind: RecordKind; id: string }) {
  const record = useWorld((world) => world[kind][id])
  const isReadOnly = useReadOnly()
  const close = () => go('world', kind)
  const name = nameOf(kind, id)
  const remove = async () => {
    const refusal = await patchWorld({ [kind]: { [id]: null } }, `${name} is gone.`)
    if (refusal) tell('failed', refusal.text, { details: refusal.details.map(({ message }) => message) })
    else close()
  }
  return (
    <article class="box record" aria-label={name}>
      <header class="box-head">
        <h2>{name}</h2>
        <span class="actions">
          {record && !isReadOnly && (
            <ActionButton class="small" action={remove}>
              Delete
            </ActionButton>
          )}
          <button type="button" class="small" onClick={close}>
            Close
          </button>
        </span>
      </header>
      {record ? (
        <dl class="record-fields">
          {fieldsOf(kind, record).map(([field]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                <FieldCell
                  kind={kind}
                  id={id}
                  record={record}
                  field={field as never}
                  placeholder="none"
                  isLong
                />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="muted">There is no {name}.</p>
      )}
    </article>
  )
}
