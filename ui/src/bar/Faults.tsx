import { useId, useState } from 'preact/hooks'
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
import { addFault, patchWorld, removeFaults, showRefusal } from '../state/actions.ts'
import { setState, useApp } from '../state/store.ts'
import { ChooseAccount } from './AccountMenus.tsx'

/** The faults chip, amber while any fault is active, and its menu. */
export function FaultMenu() {
  const faults = useApp((state) => state.world?.faults)
  const accounts = useApp((state) => state.accounts)
  const faulty = accounts.filter((one) => one.faults > 0)
  const count = faults?.filter((fault) => !isExhausted(fault)).length ?? faulty.length
  const active = faults ? pluralize(count, 'fault') : `faults in ${pluralize(count, 'account')}`
  const [className, label] = count > 0 ? ['chip tone-warn', active] : ['chip', 'no faults']
  return (
    <Menu name="faults" title="Faults" width={460} class={className} label={label}>
      {faults ? (
        <Faults faults={faults} />
      ) : (
        <ChooseAccount
          hint={count > 0 ? 'These accounts have faults.' : 'Choose an account to add a fault.'}
          accounts={count > 0 ? faulty : accounts}
        />
      )}
    </Menu>
  )
}

/** The usual faults, the account's faults, and a form that adds any. */
function Faults({ faults }: { faults: World['faults'] }) {
  const account = useApp((state) => state.account)
  const draft = useApp((state) => state.faultDraft)
  return (
    <>
      <div class="actions" role="group" aria-label="Usual faults">
        {usualFaults.map(([name, title, add]) => (
          <Button key={name} title={title} action={() => showRefusal(add())}>
            {name}
          </Button>
        ))}
      </div>
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

const findFault = (preset: string) => genericFaults.find(({ name }) => name === preset)?.fault
const failNext = (preset: string, operation: string, done: string) => () =>
  addFault({ operation, ...findFault(preset), times: 1 }, done)

/** Faults that need no form: the button, its tooltip, and what it does */
const usualFaults: [name: string, title: string, add: () => Promise<string | undefined>][] = [
  [
    'Lost response',
    'The next order is carried out, and its response is lost.',
    failNext('lost', 'orderService', 'The next order will be carried out, and its response lost.'),
  ],
  [
    '503',
    'The next request gets 503, and is not carried out.',
    failNext('503', '*', 'The next request will get 503.'),
  ],
  [
    '429',
    'The next request gets 429 with Retry-After, and is not carried out.',
    failNext('too-many-requests', '*', 'The next request will get 429.'),
  ],
  [
    'Low credit',
    'Sets the credit to 0, below every price.',
    () => patchWorld({ credit: 0 }, 'Credit set to 0.00.'),
  ],
]

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
    const reason = await addFault(toFault({ ...fields, effect }), 'Fault added.')
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
