import { useId, useState } from 'preact/hooks'
import { admin, forAccount } from '../lib/admin.ts'
import { mishaps } from '../lib/faults.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { numberOf } from '../lib/format.ts'
import type { CoverageReport, Patch } from '../lib/types.ts'
import { Button, submits } from '../parts/Button.tsx'
import { Choice, FieldError, TextField } from '../parts/Field.tsx'
import { attempt, issueText, refusalOf, tell } from '../state/actions.ts'
import { getState, setState, useApp } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'

interface Fields {
  operation: string
  /** A case, a mishap's name, or `status` */
  effect: string
  status: string
  phase: string
  times: string
  after: string
  probability: string
  delay: string
  match: string
}

const phases = [
  { value: 'before', text: 'Order not carried out' },
  { value: 'after', text: 'Carried out, response lost' },
]

/** Adds a fault: what happens, to which requests, how often. */
export function FaultForm({ draft }: { draft: Patch | undefined }) {
  const id = useId()
  const coverage = useApp((state) => state.coverage)
  const [fields, setFields] = useState(() => fieldsOf(draft))
  const [refused, setRefused] = useState<string>()
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value })
  const cases = casesOf(coverage, fields.operation)
  const effects = [
    ...cases.map((name) => ({ value: name, text: name })),
    ...Object.entries(mishaps).map(([value, { words }]) => ({ value, text: words })),
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
    <form class="fault-form" aria-label="Add a fault" onSubmit={submits(add)}>
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
        {effect === 'status' && (
          <TextField label="Status" isNumber value={fields.status} onInput={set('status')} />
        )}
        <Choice label="The call" value={fields.phase} options={phases} onChange={set('phase')} />
        <TextField
          label="How often"
          isNumber
          value={fields.times}
          placeholder="every time"
          onInput={set('times')}
        />
      </div>
      <details open={fields.match !== ''}>
        <summary>Only some requests, or later</summary>
        <div class="pair">
          <TextField
            label="Let pass first"
            isNumber
            value={fields.after}
            placeholder="0"
            onInput={set('after')}
          />
          <TextField
            label="Probability, %"
            isNumber
            value={fields.probability}
            placeholder="100"
            onInput={set('probability')}
          />
          <TextField
            label="Delay, ms"
            isNumber
            value={fields.delay}
            placeholder="none"
            onInput={set('delay')}
          />
          <TextField
            label="Match (JSON)"
            value={fields.match}
            placeholder='{"path":{"pid":101}}'
            onInput={set('match')}
          />
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

function fieldsOf(draft: Patch | undefined): Fields {
  const { operation, respond, drop, match, times } = draft ?? {}
  return {
    operation: typeof operation === 'string' ? operation : 'orderService',
    effect:
      typeof respond === 'string'
        ? respond
        : typeof drop === 'string'
          ? drop
          : isObject(respond)
            ? 'status'
            : '',
    status: isObject(respond) ? String(respond['status']) : '503',
    phase: 'before',
    times: typeof times === 'number' ? String(times) : '1',
    after: '',
    probability: '',
    delay: '',
    match: match === undefined ? '' : JSON.stringify(match),
  }
}

/** What cannot be read is sent as it is, so that the simulator says what is wrong. */
function faultOf({
  operation,
  effect,
  status,
  phase,
  times,
  after,
  probability,
  delay,
  match,
}: Fields): Patch {
  const number = (text: string) => numberOf(text) ?? text
  const percent = number(probability)
  return {
    operation,
    phase,
    ...(effect === 'status'
      ? { respond: { status: number(status) } }
      : (mishaps[effect]?.fault ?? { respond: effect })),
    ...(delay !== '' && { delay: number(delay) }),
    ...(times !== '' && { times: number(times) }),
    ...(after !== '' && { after: number(after) }),
    ...(probability !== '' && { probability: typeof percent === 'number' ? percent / 100 : percent }),
    ...(match.trim() !== '' && { match: parseJson(match) ?? match }),
  }
}

async function addFault(fault: Patch): Promise<number> {
  const { id } = await admin<{ id: number }>('POST', `/faults${forAccount(getState().account)}`, fault)
  await syncWorld()
  return id
}

/** Has the next such request end in a case; Undo removes that fault again. */
export async function provoke(operation: string, respond: string): Promise<void> {
  let id = 0
  const account = forAccount(getState().account)
  const undo = () =>
    attempt(async () => {
      await admin('DELETE', `/faults/${id}${account}`)
      await syncWorld()
    }, 'Undone.')
  await attempt(
    async () => {
      id = await addFault({ operation, respond, times: 1 })
    },
    `The next ${operation === '*' ? 'request' : `${operation} request`} gets ${respond}.`,
    { undo },
  )
}
