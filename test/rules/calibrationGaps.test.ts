import { expect, it } from 'vitest'
import {
  calibrateRecorded,
  losses,
  removeResponse,
  removeRequestBody,
  type Entry,
} from '../support/calibration/calibrateRecorded.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { toHarEntry, Tape, type CallOptions, type Exchange } from '../support/calibration/Tape.ts'

class LossyTape extends Tape {
  readonly #lost = new Map<Exchange, (entry: Entry) => Entry>()

  lose(method: string, path: string, options: CallOptions = {}, how = removeResponse): void {
    this.call(method, path, options)
    this.#lost.set(this.exchanges.at(-1) as Exchange, how)
  }

  read(...paths: string[]): void {
    for (const path of paths) this.get(`/api/${path}`)
  }

  calibrated(): ReturnType<typeof calibrateRecorded> {
    return calibrateRecorded(
      this.exchanges.map((one) => (this.#lost.get(one) ?? ((entry) => entry))(toHarEntry(one))),
    )
  }
}

const tape = (): LossyTape => new LossyTape(new NaiveService())
const order = { body: { clientid: 31 } }
const bind = { body: { setip: '203.0.113.9' } }

it.each(losses)(
  'after an order whose response was lost, all reads are first observations (%o)',
  async (how) => {
    const recorded = tape()
    recorded.read('billing/credit', 'services', 'billing/invoices')
    recorded.lose('POST', '/api/product/7', order, how)
    recorded.read('billing/credit', 'services', 'billing/invoices', 'service/815', 'billing/invoice/3300')
    const { exchanges, behaviour, notes, scenarioSource } = await recorded.calibrated()
    expect(exchanges).toMatchObject({ judged: 8, skipped: [{ exchange: 4 }] })
    expect(behaviour).toMatchObject({ same: 1, firstObservation: 7, differ: 0, undecidable: 0 })
    expect(notes).toEqual([expect.stringContaining(' is judged in 2 groups')])
    expect(scenarioSource).toMatch(/ from #5$/)
  },
)

it.each<[string, (entry: Entry) => Entry]>([
  ['size', (entry) => entry],
  [
    'header',
    ({ request: { bodySize, headers, ...request }, ...entry }) => {
      const length = { name: 'Content-Length', value: String(bodySize) }
      return { ...entry, request: { ...request, bodySize: -1, headers: [...headers, length] } }
    },
  ],
])('a request whose body was not recorded is recognized by its %s, and not judged', async (_, alter) => {
  const recorded = tape()
  recorded.read('service/800')
  recorded.lose('PUT', '/api/service/800', bind, (entry) => alter(removeRequestBody(entry)))
  recorded.read('service/800')
  const { exchanges, behaviour, assumptions } = await recorded.calibrated()
  expect(exchanges.skipped).toEqual([{ exchange: 2, reason: 'the request body was not recorded' }])
  expect(behaviour).toMatchObject({ firstObservation: 2, differ: 0, undecidable: 0 })
  expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
})

it('a record that no exchange created is a first observation, and not part of the initial state', async () => {
  const recorded = tape()
  const late = recorded.service.services.splice(-1)
  recorded.read('services', 'clients')
  recorded.service.services.push(...late)
  recorded.read('services', 'service/812', 'services')
  const { behaviour, scenario } = await recorded.calibrated()
  expect(behaviour).toMatchObject({ same: 1, firstObservation: 4, undecidable: 0, differ: 0 })
  expect(Object.keys(scenario.accounts['recorded']?.services ?? {})).toEqual(['800', '803', '806', '809'])
})
