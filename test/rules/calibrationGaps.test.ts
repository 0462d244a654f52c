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
const update = { body: { update_list: 'true' } }
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

it('an order that got a gateway error may have been executed', async () => {
  const recorded = tape()
  recorded.read('billing/credit', 'services')
  recorded.alter = () => ({ status: 504, type: 'text/html', body: 'Gateway Timeout' })
  recorded.call('POST', '/api/product/7', order)
  recorded.alter = (answer) => answer
  recorded.read('billing/credit', 'services')
  const { behaviour } = await recorded.calibrated()
  expect(behaviour).toMatchObject({ firstObservation: 4, undecidable: 1, differ: 0 })
})

it('after a lost update, address, password, list and the last update are unknown', async () => {
  const recorded = tape()
  const list = 'iplist/http-auth/txt/800'
  recorded.read('services', 'service/800', list)
  const all = { ...update.body, ...bind.body, password: 'bmV3' }
  recorded.lose('PUT', '/api/service/800', { body: all, after: 3700_000 })
  recorded.call('POST', '/api/product/7', { body: { clientid: 31, setip: '203.0.113.9' } })
  recorded.call('PUT', '/api/service/800', { ...update, after: 60_000 })
  recorded.read(list, 'service/800', list)
  const { behaviour, assumptions } = await recorded.calibrated()
  expect(behaviour).toMatchObject({ differ: 0 })
  const interval = assumptions.find(({ id }) => id === 'updateListInterval')
  expect(interval).toMatchObject({ verdict: 'undecided' })
})

it('a refused list for a service of an unknown product proves nothing about new services', async () => {
  const recorded = tape()
  recorded.call('POST', '/api/product/5', order)
  const { serviceId } = JSON.parse(recorded.exchanges[0]?.answer.body ?? '') as { serviceId: number }
  recorded.read(`iplist/http-ip/json/${serviceId}`)
  const { assumptions } = await recorded.calibrated()
  expect(assumptions.find(({ id }) => id === 'orderedService')).toMatchObject({ verdict: 'undecided' })
})

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
