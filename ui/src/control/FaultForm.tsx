import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { mishaps } from '../../../src/faults/namedFaults.ts'
import { admin, forAccount } from '../lib/admin.ts'
import type { CoverageReport } from '../lib/types.ts'
import { ActionButton, submits } from '../parts/ActionButton.tsx'
import { Choice } from '../parts/Choice.tsx'
import { Field } from '../parts/Field.tsx'
import { NumberField } from '../parts/NumberField.tsx'
import { Refused } from '../parts/Refused.tsx'
import { detailText, refusalOf, supersede, tell } from '../state/notices.ts'
import { useApp } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'
import { parametersOf } from '../try/fieldsOf.ts'
import { firstDraft, mishapOf, readDraft, toFault, type FaultDraft } from './faultDraft.ts'

const effects = [
  { value: 'case', text: 'answers with a case' },
  { value: 'status', text: 'answers with a status' },
  ...mishaps
    .filter(({ fault }) => typeof fault.respond !== 'object')
    .map(({ name, words }) => ({ value: name, text: `${name}: ${words}` })),
]

const phases = [
  { value: 'before', text: 'before: it does not happen' },
  { value: 'after', text: 'after: it happens anyway' },
]

/** Arms a fault: what happens, to which requests, how often. The address may hold one to begin with. */
export function FaultForm({ query }: { query: string }) {
  const id = useId()
  const account = useApp((state) => state.account) ?? ''
  const coverage = useApp((state) => state.coverage)
  const [draft, setDraft] = useState<FaultDraft>(firstDraft)
  const [refused, setRefused] = useState<string>()
  const [isBodyWrong, setBodyWrong] = useState(false)
  const body = useRef<HTMLInputElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const asked = readDraft(query)
    if (!asked) return
    setDraft(asked)
    form.current?.scrollIntoView({ block: 'center' })
    form.current?.querySelector<HTMLElement>('select')?.focus()
  }, [query])
  const set = (part: Partial<FaultDraft>) => setDraft({ ...draft, ...part })
  const cases = useMemo(() => casesOf(coverage, draft.operation), [coverage, draft.operation])
  const operation = coverage?.operations.find((one) => one.operation === draft.operation)
  const names = parametersOf(operation?.path ?? '')
  const chosen = cases.includes(draft.case) ? draft.case : (cases.at(-1) ?? '')
  const arm = async () => {
    setRefused(undefined)
    setBodyWrong(false)
    let fault
    try {
      fault = toFault({ ...draft, case: chosen }, names)
    } catch {
      supersede()
      setRefused('The body to match is not valid JSON.')
      setBodyWrong(true)
      return body.current?.focus()
    }
    const refusal = await refusalOf(async () => {
      await admin('POST', `/faults${forAccount(account)}`, fault)
      await syncWorld()
    })
    if (refusal)
      setRefused(refusal.details.length ? refusal.details.map(detailText).join('; ') : refusal.text)
    else tell('done', 'The fault is armed.')
  }
  return (
    <form
      class="form fault-form"
      aria-label="Arm a fault"
      ref={form}
      aria-describedby={refused && id}
      onSubmit={submits(arm)}
    >
      <Choice
        label="Operation"
        value={draft.operation}
        options={[
          { value: '*', text: 'every operation' },
          ...(coverage?.operations.map((one) => one.operation) ?? []),
        ]}
        onChange={(to) => set({ operation: to })}
      />
      <Choice
        label="What happens"
        value={draft.effect}
        options={effects}
        onChange={(effect) => set({ effect })}
      />
      {draft.effect === 'case' && (
        <Choice label="Case" value={chosen} options={cases} onChange={(name) => set({ case: name })} />
      )}
      {draft.effect === 'status' && (
        <NumberField label="Status" min={200} value={draft.status} onInput={(status) => set({ status })} />
      )}
      <NumberField
        label="Wait before, ms"
        placeholder={String(mishapOf(draft)?.delay ?? 'not at all')}
        value={draft.delay}
        onInput={(delay) => set({ delay })}
      />
      {mishapOf(draft)?.phase === undefined && (
        <Choice label="When" value={draft.phase} options={phases} onChange={(phase) => set({ phase })} />
      )}
      <NumberField
        label="How often"
        min={1}
        placeholder="every time"
        value={draft.times}
        onInput={(times) => set({ times })}
      />
      <NumberField
        label="Requests to let pass first"
        placeholder="0"
        value={draft.after}
        onInput={(after) => set({ after })}
      />
      <NumberField
        label="Probability, %"
        max={100}
        placeholder="100"
        value={draft.probability}
        onInput={(probability) => set({ probability })}
      />
      <fieldset class="fault-match">
        <legend>Only requests with</legend>
        {names.map((name) => (
          <Field label={name} key={name}>
            {(field) => (
              <input
                id={field}
                value={draft.path[name] ?? ''}
                placeholder="any"
                autocomplete="off"
                onInput={(event) => set({ path: { ...draft.path, [name]: event.currentTarget.value } })}
              />
            )}
          </Field>
        ))}
        <Field label="This in the body (JSON)">
          {(field) => (
            <input
              id={field}
              ref={body}
              aria-invalid={isBodyWrong}
              {...(isBodyWrong && { 'aria-describedby': id })}
              value={draft.body}
              placeholder={'any, or {"clientid": 11}'}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => set({ body: event.currentTarget.value })}
            />
          )}
        </Field>
      </fieldset>
      <div class="actions">
        <ActionButton type="submit" class="primary">
          Arm
        </ActionButton>
        {refused !== undefined && <Refused id={id} reason={refused} />}
      </div>
    </form>
  )
}

/** The cases that the contract gives the operation, those of authentication first; for all operations, only these. */
function casesOf(coverage: CoverageReport | undefined, operation: string): string[] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const own = operations.find((one) => one.operation === operation)?.responses ?? []
  return [...authentication, ...own].map((response) => response.case).filter((name) => name !== null)
}
