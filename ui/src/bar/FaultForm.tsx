import { useId, useState } from 'preact/hooks'
import { admin, forAccount } from '../lib/admin.ts'
import { mishaps } from '../lib/faults.ts'
import { numberOf } from '../lib/format.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { CoverageReport, Patch } from '../lib/types.ts'
import { Button, submits } from '../parts/Button.tsx'
import { Choice, FieldError, TextField } from '../parts/Field.tsx'
import { attempt, issueText, refusalOf, tell } from '../state/actions.ts'
import { getState, setState, useApp } from '../state/store.ts'
import { syncAccount } from '../state/sync.ts'

const first = {
  operation: 'orderService',
  /** A case, a mishap's name, or `status` */
  effect: '',
  status: '503',
  phase: 'before',
  times: '1',
  after: '',
  percent: '',
  delay: '',
  match: '',
}
type Fields = typeof first

const phases = [
  { value: 'before', text: 'Order not carried out' },
  { value: 'after', text: 'Carried out, response lost' },
]

const seldom: [name: keyof Fields, label: string, placeholder: string][] = [
  ['after', 'Let pass first', '0'],
  ['percent', 'Probability, %', '100'],
  ['delay', 'Delay, ms', 'none'],
  ['match', 'Match (JSON)', '{"path":{"pid":101}}'],
]

/** Adds a fault: what happens, to which requests, how often. */
export function FaultForm({ draft }: { draft: Patch | undefined }) {
  const id = useId()
  const coverage = useApp((state) => state.coverage)
  const [fields, setFields] = useState({ ...first, ...(draft && fieldsOf(draft)) })
  const [refused, setRefused] = useState<string>()
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value })
  const cases = casesOf(coverage, fields.operation)
  const effects = [
    ...cases.map((name) => ({ value: name, text: name })),
    ...Object.entries(mishaps).map(([value, [text]]) => ({ value, text })),
    { value: 'status', text: 'another status…' },
  ]
  const effect = effects.some(({ value }) => value === fields.effect)
    ? fields.effect
    : (cases.at(-1) ?? '503')
  const add = async () => {
    const refusal = await refusalOf(() => addFault(faultOf({ ...fields, effect })))
    setRefused(refusal && (refusal.details.map(issueText).join('; ') || refusal.message))
    if (refusal) return
    setState({ faultDraft: undefined })
    tell('done', 'Fault added. It strikes the next matching request.')
  }
  return (
    <form aria-label="Add a fault" onSubmit={submits(add)}>
      <div class="pair">
        <Choice
          label="Operation"
          value={fields.operation}
          options={[
            { value: '*', text: 'every operation' },
            ...(coverage?.operations ?? []).map(({ operation }) => operation),
          ]}
          onChange={set('operation')}
        />
        <Choice label="Response" value={effect} options={effects} onChange={set('effect')} />
        {effect === 'status' && <TextField label="Status" value={fields.status} onInput={set('status')} />}
        <Choice label="The call" value={fields.phase} options={phases} onChange={set('phase')} />
        <TextField label="How often" value={fields.times} placeholder="every time" onInput={set('times')} />
      </div>
      <details open={fields.match !== ''}>
        <summary>Only some requests, or later</summary>
        <div class="pair">
          {seldom.map(([name, label, placeholder]) => (
            <TextField key={name} {...{ label, placeholder }} value={fields[name]} onInput={set(name)} />
          ))}
        </div>
      </details>
      <div class="actions editable">
        <Button type="submit" class="primary">
          Add fault
        </Button>
        <FieldError id={id} reason={refused} />
      </div>
    </form>
  )
}

/** The cases that the contract gives the operation; for every operation, those of authentication. */
function casesOf(coverage: CoverageReport | undefined, operation: string): string[] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const own = operations.find((one) => one.operation === operation)?.responses ?? []
  return [...authentication, ...own].map((response) => response.case).filter((name) => name !== null)
}

function fieldsOf({ operation, respond, drop, match }: Patch): Partial<Fields> {
  return {
    operation: String(operation),
    effect: String(isObject(respond) ? 'status' : (respond ?? drop)),
    ...(isObject(respond) && { status: String(respond['status']) }),
    ...(match !== undefined && { match: JSON.stringify(match) }),
  }
}

/** What cannot be read is sent as it is, so that the simulator says what is wrong. */
function faultOf({ operation, effect, status, phase, times, after, percent, delay, match }: Fields): Patch {
  const number = (text: string) => numberOf(text) ?? text
  return {
    operation,
    phase,
    ...(effect === 'status'
      ? { respond: { status: number(status) } }
      : (mishaps[effect]?.[1] ?? { respond: effect })),
    ...(delay !== '' && { delay: number(delay) }),
    ...(times !== '' && { times: number(times) }),
    ...(after !== '' && { after: number(after) }),
    ...(percent !== '' && { probability: (numberOf(percent) ?? NaN) / 100 }),
    ...(match.trim() !== '' && { match: parseJson(match) ?? match }),
  }
}

async function addFault(fault: Patch): Promise<number> {
  const { id } = await admin<{ id: number }>('POST', `/faults${forAccount(getState().account)}`, fault)
  await syncAccount()
  return id
}

/** Has the next such request end in a case; Undo removes that fault again. */
export async function provoke(operation: string, respond: string): Promise<void> {
  let id = 0
  const account = forAccount(getState().account)
  const undo = () =>
    attempt(async () => {
      await admin('DELETE', `/faults/${id}${account}`)
      await syncAccount()
    }, 'Undone.')
  const words = `The next ${operation === '*' ? 'request' : `${operation} request`} gets ${respond}.`
  await attempt(
    async () => {
      id = await addFault({ operation, respond, times: 1 })
    },
    words,
    { undo },
  )
}
