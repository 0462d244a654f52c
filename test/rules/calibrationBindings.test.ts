import { expect, it } from 'vitest'
import { calibrateRecorded } from '../support/calibration/calibrateRecorded.ts'
import { NaiveService, type NaiveInterpretations } from '../support/calibration/NaiveService.ts'
import { Tape } from '../support/calibration/Tape.ts'

type Interpretation = NaiveInterpretations['rebindOwn']

/** Addresses. Service 800 is bound to the first at the start. */
const addresses: Record<string, string> = { A: '198.51.100.200', B: '203.0.113.5', C: '203.0.113.6' }

/** A recording: `see 800`, `bind 800 B`, `order B` (of a service that is then 815); and an unrecorded event: `move B 806`. */
const steps: Record<string, (tape: Tape, ...names: string[]) => unknown> = {
  see: (tape, id) => tape.get(`/api/service/${id}`),
  bind: (tape, id, ip = '') => tape.call('PUT', `/api/service/${id}`, { body: { setip: addresses[ip] } }),
  order(tape, ip = '') {
    tape.get('/api/clients')
    return tape.call('POST', '/api/product/7', { body: { clientid: 31, setip: addresses[ip] } })
  },
  /** Moves the address to a service, or unbinds it. */
  move({ service: { services } }, ip = '', to?) {
    for (const one of services) if (one.bound === addresses[ip]) one.bound = null
    for (const one of services) if (String(one.id) === to) one.bound = addresses[ip] ?? null
  },
}

/** The last call of each recording is refused as already bound, or would be. */
async function judged(rebindOwn: Interpretation, recorded: readonly string[]) {
  const tape = new Tape(new NaiveService({ rebindOwn }))
  for (const [step = '', ...names] of recorded.map((one) => one.split(' '))) steps[step]?.(tape, ...names)
  const { assumptions, behaviour } = await calibrateRecorded(tape)
  const isRefused = tape.exchanges.at(-1)?.answer.body.includes('IP already binded')
  const found = assumptions.find(({ id }) => id === 'rebindOwn')
  return { isRefused, found, behaviour, last: tape.exchanges.length }
}

it.each([
  ['seen in a response', 'see 800', 'bind 800 A'],
  ['set by an update', 'bind 800 B', 'bind 800 B'],
  ['set by an order', 'order B', 'bind 815 B'],
])('rebindOwn is found from an address that was %s', async (_, ...recorded) => {
  for (const [interpretation, verdict] of [
    ['refused', 'other'],
    ['allowed', 'holds'],
  ] as const) {
    const { isRefused, found, last } = await judged(interpretation, recorded)
    expect(isRefused).toBe(interpretation === 'refused')
    expect(found).toMatchObject({ verdict, interpretation, evidence: [last] })
  }
})

it.each<[string, Interpretation, ...string[]]>([
  ['is its own, which was not seen', 'refused', 'bind 800 A'],
  [
    'was never seen, and is bound to a service that was not seen either',
    'allowed',
    'move B 806',
    'see 800',
    'bind 800 B',
  ],
  [
    'was its own, before it was seen with another',
    'allowed',
    'see 800',
    'move A 806',
    'move B 800',
    'see 800',
    'bind 800 A',
  ],
])(
  'rebindOwn stays undecided by the refusal of an address that %s',
  async (_, interpretation, ...recorded) => {
    const { isRefused, found, behaviour, last } = await judged(interpretation, recorded)
    expect(isRefused).toBe(true)
    expect(found).toMatchObject({ verdict: 'undecided', interpretation: null })
    expect(behaviour.differences.map(({ exchange }) => exchange)).not.toContain(last)
  },
)
