import { describe, expect, it } from 'vitest'
import { calibrated, type Entry } from '../support/calibration/calibrated.ts'
import { losses, unanswered, withoutRequestBody } from '../support/calibration/losses.ts'
import { NaiveService } from '../support/calibration/NaiveService.ts'
import { harEntry, Tape, type CallOptions, type Taped } from '../support/calibration/Tape.ts'

class LossyTape extends Tape {
  readonly #lost = new Map<Taped, (entry: Entry) => Entry>()

  lose(method: string, path: string, options: CallOptions = {}, how = unanswered): void {
    this.call(method, path, options)
    this.#lost.set(this.taped.at(-1) as Taped, how)
  }

  read(...paths: string[]): void {
    for (const path of paths) this.get(`/api/${path}`)
  }

  get entries(): Entry[] {
    return this.taped.map((one) => (this.#lost.get(one) ?? ((entry) => entry))(harEntry(one)))
  }

  calibrated(): ReturnType<typeof calibrated> {
    return calibrated(this.entries)
  }
}

const tape = (): LossyTape => new LossyTape(new NaiveService())
const order = { body: { clientid: 31 } }

describe('an order whose response was lost', () => {
  it.each(losses)(
    'explains what is seen afterwards, and was not there at the beginning (%o)',
    async (how) => {
      const recorded = tape()
      recorded.read('billing/credit', 'services', 'billing/invoices')
      recorded.lose('POST', '/api/product/7', order, how)
      recorded.read('billing/credit', 'services', 'billing/invoices', 'service/815', 'billing/invoice/3300')
      const { calibration, scenario } = await recorded.calibrated()
      expect(calibration.exchanges).toMatchObject({ judged: 8, skipped: [{ exchange: 4 }] })
      expect(calibration.behaviour).toMatchObject({ same: 1, firstSight: 7, differ: 0, undecidable: 0 })
      const { recorded: account } = scenario.accounts
      expect(account).toMatchObject({ credit: 500, invoices: {} })
      expect(Object.keys(account?.services ?? {})).toEqual(['800', '803', '806', '809', '812'])
    },
  )

  it('may not have been carried out', async () => {
    const recorded = tape()
    recorded.read('billing/credit', 'services', 'billing/invoices')
    recorded.lose('POST', '/api/product/7', { body: { clientid: 77 } })
    recorded.read('billing/credit', 'services', 'billing/invoices', 'services')
    const { calibration } = await recorded.calibrated()
    expect(calibration.behaviour).toMatchObject({ same: 1, firstSight: 6, differ: 0, undecidable: 0 })
  })

  it('may have been answered by a gateway', async () => {
    const recorded = tape()
    recorded.read('billing/credit', 'services')
    recorded.alter = () => ({ status: 504, type: 'text/html', body: 'Gateway Timeout' })
    recorded.call('POST', '/api/product/7', order)
    recorded.alter = (answer) => answer
    recorded.read('billing/credit', 'services')
    const { behaviour } = (await recorded.calibrated()).calibration
    expect(behaviour.differences.map(({ exchange }) => exchange)).toEqual([3])
  })

  it('leaves what other orders need undecidable until the credit is seen', async () => {
    const recorded = tape()
    recorded.service.cents = 2000
    recorded.read('clients', 'products', 'billing/credit')
    recorded.lose('POST', '/api/product/7', order)
    recorded.call('POST', '/api/product/7', order) // refused: it costs 15
    recorded.read('billing/credit')
    recorded.call('POST', '/api/product/7', order)
    const { behaviour } = (await recorded.calibrated()).calibration
    expect(behaviour).toMatchObject({ same: 1, undecidable: 1, differ: 0 })
  })
})

describe('an update whose response was lost', () => {
  it('may have bound its address, or freed the one before', async () => {
    const recorded = tape()
    recorded.read('services', 'service/800', 'service/812', 'service/806')
    recorded.lose('PUT', '/api/service/800', { body: { setip: '203.0.113.9' } })
    recorded.call('POST', '/api/product/7', { body: { clientid: 31, setip: '203.0.113.9' } })
    recorded.call('POST', '/api/product/7', { body: { clientid: 31, setip: '198.51.100.200' } })
    recorded.read('service/800', 'service/800')
    const { behaviour } = (await recorded.calibrated()).calibration
    expect(behaviour).toMatchObject({ same: 1, firstSight: 6, undecidable: 1, differ: 0 })
  })

  it('may have set its password and updated its list', async () => {
    const recorded = tape()
    const list = 'iplist/http-auth/txt/800'
    const update = { body: { update_list: 'true' } }
    recorded.read('services', 'service/800', list)
    recorded.call('PUT', '/api/service/800', update)
    recorded.lose('PUT', '/api/service/800', {
      body: { update_list: 'true', password: 'bmV3' },
      after: 3700_000,
    })
    recorded.call('PUT', '/api/service/800', { ...update, after: 60_000 })
    recorded.read(list, 'service/800', list)
    const { behaviour, assumptions } = (await recorded.calibrated()).calibration
    expect(behaviour).toMatchObject({ differ: 0, undecidable: 0 })
    expect(assumptions.find(({ id }) => id === 'updateListInterval')).toMatchObject({ verdict: 'undecided' })
  })
})

describe('a request whose body was not kept', () => {
  it.each([
    ['size', (entry: Entry) => entry],
    [
      'header',
      ({ request, ...entry }: Entry) => ({
        ...entry,
        request: {
          ...request,
          bodySize: -1,
          headers: [...request.headers, { name: 'Content-Length', value: String(request.bodySize) }],
        },
      }),
    ],
  ])('is known by its %s, and not judged', async (_, alter) => {
    const recorded = tape()
    recorded.read('service/800')
    recorded.lose('PUT', '/api/service/800', { body: { setip: '203.0.113.9' } }, (entry) =>
      alter(withoutRequestBody(entry)),
    )
    recorded.read('service/800')
    const { exchanges, behaviour, assumptions } = (await recorded.calibrated()).calibration
    expect(exchanges.skipped).toEqual([{ exchange: 2, reason: 'the recorder did not keep the request body' }])
    expect(behaviour).toMatchObject({ firstSight: 2, differ: 0, undecidable: 0 })
    expect(assumptions.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
  })
})

describe('a record that no exchange made', () => {
  it('is a first observation, and was not there at the beginning', async () => {
    const recorded = tape()
    const [late] = recorded.service.services.splice(-1)
    recorded.read('services', 'clients')
    recorded.service.services.push(late as NaiveService['services'][number])
    recorded.read('services', 'service/812', 'services')
    const { calibration, scenario } = await recorded.calibrated()
    expect(calibration.behaviour).toMatchObject({ same: 1, firstSight: 4, undecidable: 0, differ: 0 })
    expect(Object.keys(scenario.accounts['recorded']?.services ?? {})).toEqual(['800', '803', '806', '809'])
  })
})
