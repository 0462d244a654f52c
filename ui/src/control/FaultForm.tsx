import { useMemo, useState } from 'preact/hooks'
import { mishaps, type NamedFault } from '../../../src/faults/namedFaults.ts'
import { admin, forAccount } from '../lib/admin.ts'
import type { CoverageReport, Patch } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { Field } from '../parts/Field.tsx'
import { attempt } from '../state/notices.ts'
import { useApp } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'

const effects = [
  { value: 'case', text: 'answers with one of its cases' },
  { value: 'status', text: 'answers with a status' },
  ...mishaps
    .filter(({ fault }) => typeof fault.respond !== 'object')
    .map(({ name, words }) => ({ value: name, text: `${name}: ${words}` })),
]

const phases = [
  { value: 'before', text: 'before: it does not happen' },
  { value: 'after', text: 'after: it happens unheard' },
]

interface Draft {
  operation: string
  effect: string
  case: string
  status: string
  delay: string
  phase: string
  times: string
  after: string
}

const first: Draft = {
  operation: 'orderService',
  effect: 'case',
  case: 'insufficient-funds',
  status: '503',
  delay: '',
  phase: 'before',
  times: '1',
  after: '',
}

/** Arms a fault: an operation, then one of its cases or another mishap, how often, before or after. */
export function FaultForm() {
  const account = useApp((state) => state.account) ?? ''
  const coverage = useApp((state) => state.coverage)
  const [draft, setDraft] = useState(first)
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const cases = useMemo(() => casesOf(coverage, draft.operation), [coverage, draft.operation])
  const chosen = cases.includes(draft.case) ? draft.case : (cases.at(-1) ?? '')
  const arm = (event: Event) => {
    event.preventDefault()
    void attempt(async () => {
      await admin('POST', `/faults${forAccount(account)}`, toFault(draft, chosen))
      await syncWorld()
    }, 'The fault is armed.')
  }
  return (
    <form class="form fault-form" aria-label="Arm a fault" onSubmit={arm}>
      <Choice
        label="Operation"
        value={draft.operation}
        options={[
          { value: '*', text: 'every operation' },
          ...(coverage?.operations.map(({ operation }) => operation) ?? []),
        ]}
        onChange={(operation) => set({ operation })}
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
      <div class="actions">
        <button type="submit" class="primary">
          Arm
        </button>
      </div>
    </form>
  )
}

interface NumberFieldProps {
  label: string
  value: string
  placeholder?: string
  min?: number
  onInput: (value: string) => void
}

function NumberField({ label, value, placeholder, min = 0, onInput }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          type="number"
          min={min}
          value={value}
          placeholder={placeholder}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** The cases that the contract gives the operation, those of authentication first; for all operations, only these. */
function casesOf(coverage: CoverageReport | undefined, operation: string): string[] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const own = operations.find((one) => one.operation === operation)?.responses ?? []
  return [...authentication, ...own].map((response) => response.case).filter((name) => name !== null)
}

function mishapOf({ effect }: Draft): NamedFault['fault'] | undefined {
  return mishaps.find(({ name }) => name === effect)?.fault
}

function toFault(draft: Draft, chosen: string): Patch {
  const { operation, effect, status, delay, phase, times, after } = draft
  return {
    operation,
    phase,
    ...(effect === 'case' && { respond: chosen }),
    ...(effect === 'status' && { respond: { status: Number(status) } }),
    ...mishapOf(draft),
    ...(delay !== '' && { delay: Number(delay) }),
    ...(times !== '' && { times: Number(times) }),
    ...(after !== '' && { after: Number(after) }),
  }
}
