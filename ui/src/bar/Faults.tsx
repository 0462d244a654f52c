import { useId, useState } from 'preact/hooks'
import { admin, forAccount } from '../lib/admin.ts'
import { genericFaults } from '../../../src/faults/presets.ts'
import { faultCount, faultText, isExhausted } from '../lib/faults.ts'
import { parseNumber, plural } from '../lib/format.ts'
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

/** The faults chip, amber while any fault is active, and its menu. */
export function FaultMenu() {
  const faults = useApp((state) => state.world?.faults)
  const elsewhere = useApp(({ accounts }) => accounts.filter(({ faults: count }) => count > 0).length)
  const count = faults?.filter((fault) => !isExhausted(fault)).length ?? elsewhere
  const active = faults ? plural(count, 'fault') : `faults in ${plural(count, 'account')}`
  const [kind, label] = count > 0 ? ['chip tone-warn', active] : ['chip', 'no faults']
  return (
    <Menu name="faults" title="Faults" width={460} class={kind} label={label}>
      {faults ? <Faults /> : <ChooseAccount hint="Choose an account to see its faults." />}
    </Menu>
  )
}

/** The account's faults, and a form that adds one. */
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
      {faults.length === 0 && <p class="muted">No faults.</p>}
      <Lines
        label="Faults"
        lines={faults.map((fault) => ({
          key: fault.id,
          text: `${faultText(fault)} (${isExhausted(fault) ? 'exhausted, ' : ''}${faultCount(fault)})`,
          button: 'Remove',
          label: `Remove fault ${fault.id}`,
          action: () => removeFaults(`/${fault.id}`, [fault], `Fault ${fault.id} removed.`),
          isMuted: isExhausted(fault),
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

/** Removes faults. Undo adds them again with their counters. */
function removeFaults(path: string, removed: World['faults'], done: string): Promise<boolean> {
  const addAgain = async () => {
    for (const fault of removed) await post({ ...fault })
  }
  return attempt(() => remove(path), done, { undo: () => attempt(addAgain, 'Undone.') })
}

/** Adds a fault that returns a case to the next matching request. Undo removes it. */
export async function forceResponse(operation: string, respond: string): Promise<void> {
  let id = 0
  const add = async () => {
    id = await post({ operation, respond, times: 1 })
  }
  const done = `The next ${operation === '*' ? 'request' : `${operation} request`} will get ${respond}.`
  await attempt(add, done, { undo: () => attempt(() => remove(`/${id}`), 'Undone.') })
}

const defaults = {
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
type Fields = typeof defaults

const phases = [
  { value: 'before', text: 'Before execution' },
  { value: 'after', text: 'After execution' },
]

const moreFields: [name: keyof Fields, label: string, placeholder: string][] = [
  ['after', 'Requests to skip', '0'],
  ['percent', 'Probability (%)', '100'],
  ['delay', 'Delay (ms)', 'none'],
  ['match', 'Match (JSON)', '{"path":{"pid":101}}'],
]

/** Adds a fault: its effect, the requests that trigger it, and how often. */
function FaultForm({ draft }: { draft: Patch | undefined }) {
  const id = useId()
  const coverage = useApp((state) => state.coverage)
  const [fields, setFields] = useState({ ...defaults, ...(draft && toFields(draft)) })
  const [refused, setRefused] = useState<string>()
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value })
  const cases = listCases(coverage, fields.operation)
  const effects = [
    ...cases.map((name) => ({ value: name, text: name })),
    ...genericFaults.map(({ name, description }) => ({ value: name, text: `${name}: ${description}` })),
    { value: 'status', text: 'Other status…' },
  ]
  const effect = effects.some(({ value }) => value === fields.effect)
    ? fields.effect
    : (cases.at(-1) ?? '503')
  const add = async () => {
    const reason = await change(() => post(toFault({ ...fields, effect })), 'Fault added.')
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
            { value: '*', text: 'Every operation' },
            ...(coverage?.operations ?? []).map(({ operation }) => operation),
          ]}
          onChange={set('operation')}
        />
        <Choice label="Response" value={effect} options={effects} onChange={set('effect')} />
        {effect === 'status' && <TextField label="Status" value={fields.status} onInput={set('status')} />}
        <Choice label="When" value={fields.phase} options={phases} onChange={set('phase')} />
        <TextField label="Times" value={fields.times} placeholder="every time" onInput={set('times')} />
      </div>
      <details open={fields.match !== ''}>
        <summary>More options</summary>
        <div class="pair">
          {moreFields.map(([name, label, placeholder]) => (
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

/** The operation's cases in the contract, including those of authentication. */
function listCases(coverage: CoverageReport | undefined, operation: string): string[] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const own = operations.find((one) => one.operation === operation)?.responses ?? []
  return [...authentication, ...own].map((response) => response.case).filter((name) => name !== null)
}

function toFields({ operation, respond, drop, match }: Patch): Partial<Fields> {
  return {
    operation: String(operation),
    effect: String(isObject(respond) ? 'status' : (respond ?? drop)),
    ...(isObject(respond) && { status: String(respond['status']) }),
    ...(match !== undefined && { match: JSON.stringify(match) }),
  }
}

/** Unparsable text is sent unchanged, so that the simulator reports the mistake. */
function toFault({ operation, effect, status, phase, times, after, percent, delay, match }: Fields): Patch {
  const number = (text: string) => parseNumber(text) ?? text
  return {
    operation,
    phase,
    ...(effect === 'status'
      ? { respond: { status: number(status) } }
      : (genericFaults.find(({ name }) => name === effect)?.fault ?? { respond: effect })),
    ...(delay !== '' && { delay: number(delay) }),
    ...(times !== '' && { times: number(times) }),
    ...(after !== '' && { after: number(after) }),
    ...(percent !== '' && { probability: (parseNumber(percent) ?? NaN) / 100 }),
    ...(match.trim() !== '' && { match: parseJson(match) ?? match }),
  }
}
