import { useId, useState } from 'preact/hooks'
import { admin, forAccount } from '../lib/admin.ts'
import { genericFaults } from '../../../src/faults/presets.ts'
import { faultCount, faultText, isUsedUp } from '../lib/faults.ts'
import { numberOf, plural } from '../lib/format.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { CoverageReport, Patch, World } from '../lib/types.ts'
import { Button, submits } from '../parts/Button.tsx'
import { Choice, FieldError, TextField } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { attempt, change } from '../state/actions.ts'
import { getState, setState, useApp } from '../state/store.ts'
import { syncAccount } from '../state/sync.ts'
import { ChooseAccount } from './AccountMenus.tsx'

/** Amber while any fault can still trigger. */
export function FaultMenu() {
  const faults = useApp((state) => state.world?.faults)
  const elsewhere = useApp(({ accounts }) => accounts.filter(({ faults: count }) => count > 0).length)
  const count = faults?.filter((fault) => !isUsedUp(fault)).length ?? elsewhere
  const active = faults ? plural(count, 'fault') : `faults in ${plural(count, 'account')}`
  const [kind, label] = count > 0 ? ['chip tone-warn', active] : ['chip', 'no faults']
  return (
    <Menu name="faults" title="Faults" width={460} class={kind} label={label}>
      {faults ? <Faults /> : <ChooseAccount why="Each account has its own faults." />}
    </Menu>
  )
}

/** The active faults, and a form that adds one. */
function Faults() {
  const account = useApp((state) => state.account)
  const faults = useApp((state) => state.world?.faults) ?? []
  const draft = useApp((state) => state.faultDraft)
  return (
    <>
      <div class="menu-head">
        <h2>Faults</h2>
        {faults.length > 1 && (
          <Button class="small" action={() => removeFaults('', faults, 'All faults removed.')}>
            Remove all
          </Button>
        )}
      </div>
      {faults.length === 0 && <p class="muted">No active faults.</p>}
      <Lines
        label="Faults"
        lines={faults.map((fault) => ({
          key: fault.id,
          text: `${faultText(fault)} (${isUsedUp(fault) ? 'used up, ' : ''}${faultCount(fault)})`,
          button: 'Remove',
          label: `Remove fault ${fault.id}`,
          action: () => removeFaults(`/${fault.id}`, [fault], `Fault ${fault.id} removed.`),
          isMuted: isUsedUp(fault),
        }))}
      />
      <FaultForm key={`${account} ${JSON.stringify(draft)}`} draft={draft} />
    </>
  )
}

async function post(fault: Patch): Promise<number> {
  const { id } = await admin<{ id: number }>('POST', `/faults${forAccount(getState().account)}`, fault)
  await syncAccount()
  return id
}

async function remove(path: string): Promise<void> {
  await admin('DELETE', `/faults${path}${forAccount(getState().account)}`)
  await syncAccount()
}

/** Removes faults; Undo adds them again, with their counters. */
function removeFaults(path: string, removed: World['faults'], done: string): Promise<boolean> {
  const addAgain = async () => {
    for (const fault of removed) await post({ ...fault })
  }
  return attempt(() => remove(path), done, { undo: () => attempt(addAgain, 'Undone.') })
}

/** Has the next such request end in a case; Undo removes that fault again. */
export async function provoke(operation: string, respond: string): Promise<void> {
  let id = 0
  const add = async () => {
    id = await post({ operation, respond, times: 1 })
  }
  const words = `The next ${operation === '*' ? 'request' : `${operation} request`} gets ${respond}.`
  await attempt(add, words, { undo: () => attempt(() => remove(`/${id}`), 'Undone.') })
}

const first = {
  operation: 'orderService',
  /** A case, the name of a generic fault, or `status` */
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
  { value: 'before', text: 'Not executed' },
  { value: 'after', text: 'Carried out, response lost' },
]

const seldom: [name: keyof Fields, label: string, placeholder: string][] = [
  ['after', 'Skip the first', '0'],
  ['percent', 'Probability, %', '100'],
  ['delay', 'Delay, ms', 'none'],
  ['match', 'Match (JSON)', '{"path":{"pid":101}}'],
]

/** Adds a fault: what happens, to which requests, how often. */
function FaultForm({ draft }: { draft: Patch | undefined }) {
  const id = useId()
  const coverage = useApp((state) => state.coverage)
  const [fields, setFields] = useState({ ...first, ...(draft && fieldsOf(draft)) })
  const [refused, setRefused] = useState<string>()
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value })
  const cases = casesOf(coverage, fields.operation)
  const effects = [
    ...cases.map((name) => ({ value: name, text: name })),
    ...genericFaults.map(({ name, description }) => ({ value: name, text: `${name}: ${description}` })),
    { value: 'status', text: 'another status…' },
  ]
  const effect = effects.some(({ value }) => value === fields.effect)
    ? fields.effect
    : (cases.at(-1) ?? '503')
  const add = async () => {
    const done = 'Fault added. It applies to the next matching request.'
    const reason = await change(() => post(faultOf({ ...fields, effect })), done)
    setRefused(reason)
    if (reason === undefined) setState({ faultDraft: undefined })
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
        <summary>More conditions</summary>
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

/** Unparsable text is sent unchanged, so that the simulator reports the mistake. */
function faultOf({ operation, effect, status, phase, times, after, percent, delay, match }: Fields): Patch {
  const number = (text: string) => numberOf(text) ?? text
  return {
    operation,
    phase,
    ...(effect === 'status'
      ? { respond: { status: number(status) } }
      : (genericFaults.find(({ name }) => name === effect)?.fault ?? { respond: effect })),
    ...(delay !== '' && { delay: number(delay) }),
    ...(times !== '' && { times: number(times) }),
    ...(after !== '' && { after: number(after) }),
    ...(percent !== '' && { probability: (numberOf(percent) ?? NaN) / 100 }),
    ...(match.trim() !== '' && { match: parseJson(match) ?? match }),
  }
}
