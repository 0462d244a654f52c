import { expect, it } from 'vitest'
import { calibrated } from '../support/calibration/calibrated.ts'
import { NaiveService, type NaiveReadings } from '../support/calibration/NaiveService.ts'
import { Tape } from '../support/calibration/Tape.ts'

type Reading = NaiveReadings['rebindOwn']

/** What the first service is bound to at the start */
const first = '198.51.100.200'
const address = '203.0.113.5'
const [own, other] = ['/api/service/800', '/api/service/806']

const bind = (tape: Tape, path: string, setip: string) => tape.call('PUT', path, { body: { setip } })

/** What nobody recorded: the address moves to a service, and away from all others. */
function moveUnseen({ service: { services } }: Tape, ip: string, to?: number): void {
  for (const one of services) if (one.bound === ip) one.bound = null
  for (const one of services) if (one.id === to) one.bound = ip
}

/** The last call of each recording is refused as already bound, or would be. */
async function judged(rebindOwn: Reading, record: (tape: Tape) => unknown) {
  const tape = new Tape(new NaiveService({ rebindOwn }))
  record(tape)
  const { assumptions, behaviour } = await calibrated(tape)
  const isRefused = tape.taped.at(-1)?.answer.body.includes('IP already binded')
  const found = assumptions.find(({ id }) => id === 'rebindOwn')
  return { isRefused, found, behaviour, last: tape.taped.length }
}

it.each<[string, (tape: Tape) => unknown]>([
  [
    'was seen in a response',
    (tape) => {
      tape.get(own)
      bind(tape, own, first)
    },
  ],
  [
    'was set by an update',
    (tape) => {
      bind(tape, own, address)
      bind(tape, own, address)
    },
  ],
  [
    'was set by an order',
    (tape) => {
      tape.get('/api/clients')
      const body = { clientid: 31, setip: address }
      const { serviceId } = tape.call('POST', '/api/product/7', { body }).json as { serviceId: number }
      bind(tape, `/api/service/${serviceId}`, address)
    },
  ],
])('rebindOwn is found from an address that %s', async (_, record) => {
  for (const [reading, verdict] of [
    ['refused', 'other'],
    ['allowed', 'holds'],
  ] as const) {
    const { isRefused, found, last } = await judged(reading, record)
    expect(isRefused).toBe(reading === 'refused')
    expect(found).toMatchObject({ verdict, reading, evidence: [last] })
  }
})

it.each<[string, Reading, (tape: Tape) => unknown]>([
  ['is its own, which was not seen', 'refused', (tape) => bind(tape, own, first)],
  [
    'was never seen, and is bound to a service that was not seen either',
    'allowed',
    (tape) => {
      moveUnseen(tape, address, 806)
      tape.get(own)
      bind(tape, own, address)
    },
  ],
  [
    'was its own, before it was seen with another',
    'allowed',
    (tape) => {
      tape.get(own)
      moveUnseen(tape, first, 806)
      moveUnseen(tape, address, 800)
      tape.get(own)
      bind(tape, own, first)
    },
  ],
  [
    'was its own, before an update set another',
    'allowed',
    (tape) => {
      bind(tape, own, address)
      bind(tape, own, '203.0.113.6')
      moveUnseen(tape, address, 806)
      bind(tape, own, address)
    },
  ],
  [
    'was its own, before an update that we would refuse set another',
    'allowed',
    (tape) => {
      tape.get(own)
      moveUnseen(tape, address, 806)
      tape.get(other)
      moveUnseen(tape, address)
      bind(tape, own, address)
      moveUnseen(tape, first, 806)
      bind(tape, own, first)
    },
  ],
])('rebindOwn stays undecided by the refusal of an address that %s', async (_, reading, record) => {
  const { isRefused, found, behaviour, last } = await judged(reading, record)
  expect(isRefused).toBe(true)
  expect(found).toMatchObject({ verdict: 'undecided', reading: null })
  expect(behaviour.differences.map(({ exchange }) => exchange)).not.toContain(last)
})
