import { useId, useState } from 'preact/hooks'
import { admin, accountQuery } from '../lib/admin.ts'
import { describeFault } from '../../../src/faults/applyFault.ts'
import { genericFaults } from '../../../src/faults/presets.ts'
import { formatTriggerCount, formatFault, isExhausted } from '../lib/faults.ts'
import { parseNumber, pluralize } from '../lib/format.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { CoverageReport, Patch, World } from '../lib/types.ts'
import { Button, submitHandler } from '../parts/Button.tsx'
import { Choice, FieldError, TextField } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { attempt, changeState } from '../state/actions.ts'
import { getState, setState, useApp } from '../state/store.ts'
import { syncAccount } from '../state/sync.ts'
import { ChooseAccount } from './AccountMenus.tsx'

/** The faults chip, amber while any fault is active, and its menu. */
export function FaultMenu() {
  const faults = useApp((state) => state.world?.faults)
  const accountsWithFaults = useApp(
    ({ accounts }) => accounts.filter(({ faults: count }) => count > 0).length,
  )
  const count = faults?.filter((fault) => !isExhausted(fault)).length ?? accountsWithFaults
  const active = faults ? pluralize(count, 'fault') : `faults in ${pluralize(count, 'account')}`
  const [className, label] = count > 0 ? ['chip tone-warn', active] : ['chip', 'no faults']
  return (
    <Menu name="faults" title="Faults" width={460} class={className} label={label}>
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
          text: `${formatFault(fault)} (${isExhausted(fault) ? 'exhausted, ' : ''}${formatTriggerCount(fault)})`,
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

async function postFault(fault: Patch): Promise<number> {
  const { id } = await admin<{ id: number }>('POST', `/faults${accountQuery(getState().account)}`, fault)
  await syncAccount()
  return id
}

async function deleteFault(path: string): Promise<void> {
  await admin('DELETE', `/faults${path}${accountQuery(getState().account)}`)
  await syncAccount()
}

/** Removes faults. Undo adds them again with their counters. */
function removeFaults(path: string, removed: World['faults'], done: string): Promise<boolean> {
  const addAgain = async () => {
    for (const fault of removed) await postFault({ ...fault })
  }
  return attempt(() => deleteFault(path), done, { undo: () => attempt(addAgain, 'Undone.') })
}

/** Adds a fault that returns a case to the next matching request. Undo removes it. */
export async function forceResponse(operation: string, respond: string): Promise<void> {
  let id = 0
  const add = async () => {
    id = await postFault({ operation, respond, times: 1 })
  }
  const done = `The next ${operation === '*' ? 'request' : `${operation} request`} will get ${respond}.`
  await attempt(add, done, { undo: () => attempt(() => deleteFault(`/${id}`), 'Undone.') })
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
    const reason = await changeState(() => postFault(toFault({ ...fields, effect })), 'Fault added.')
    setRefused(reason)
    if (reason === undefined) setState({ faultDraft: undefined })
  }
  return (
    <form aria-label="Add a fault" onSubmit={submitHandler(add)}>
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
      <details open={fields.match !== '' || fields.delay !== ''}>
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

/** Lists the operation's cases in the contract, including the authentication cases. */
function listCases(coverage: CoverageReport | undefined, operation: string): string[] {
  const { authentication = [], operations = [] } = coverage ?? {}
  const responses = operations.find((one) => one.operation === operation)?.responses ?? []
  return [...authentication, ...responses].map((response) => response.case).filter((name) => name !== null)
}

function toFields({ operation, match, ...fault }: Patch): Partial<Fields> {
  const { respond, drop, delay, phase } = fault
  const findPreset = (effects: Patch) =>
    genericFaults.find((one) => describeFault(one.fault) === describeFault(effects))?.name
  const name = findPreset(fault) ?? findPreset({ ...fault, delay: undefined })
  return {
    operation: String(operation),
    effect: name ?? String(isObject(respond) ? 'status' : (respond ?? drop)),
    ...(phase === 'after' && { phase }),
    ...(typeof delay === 'number' && { delay: String(delay) }),
    ...(isObject(respond) && { status: String(respond['status']) }),
    ...(match !== undefined && { match: JSON.stringify(match) }),
  }
}

/** Builds the fault. Unparsable text is sent unchanged, so that the simulator reports the mistake. */
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
