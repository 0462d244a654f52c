import { describe, expect, it } from 'vitest'
import { assumptionValues } from '../../src/service/values.ts'
import { startForAll, type TestResponse } from '../support/start.ts'
import { scenarioWith } from '../support/scenario.ts'

/**
 * INTERPRETATIONS: METHOD PATH BODY; … → STATUS, optionally content type, and text of the last response. There, … matches
 * any text, and ~ one value.
 * Services 5001 and 5006 are static, 5002 is rotating, 5003 (192.0.2.13) and 5004 (rotating) are suspended.
 */
const interpretations = String.raw`
productSort=asc: GET products/orderby/price → 200 …:202,…:101,…:201,…
productSort=asc: GET products/orderby/productName → 200 …:202,…:201,…:101,…
productSort=desc: GET products/orderby/price → 200 …:201,…:101,…:202,…
productSort=desc: GET products/orderby/productName → 200 …:101,…:201,…:202,…
unknownSortField=unprocessable: GET products/orderby/colour → 422 {"error":"Unprocessable Entity "}
unknownSortField=unprocessable: GET products/orderby/__proto__ → 422 {"error":"Unprocessable Entity "}
unknownSortField=ignore: GET products/orderby/colour → 200 …:101,…:201,…:202,…
unknownSortField=ignore: GET products/orderby/__proto__ → 200 …:101,…:201,…:202,…
unknownSortField=ignore: GET products/orderby/price → 200 …:202,…:101,…:201,…
updateResult=requested: PUT service/5001 {"setip":"192.0.2.20"} → 200 {"setip":{"success":"~"}}
updateResult=requested: PUT service/5001 {"update_list":"false","password":"eA=="} → 200 {"password":{"success":"~"}}
updateResult=all: PUT service/5001 {}; GET iplist/http-ip/json/5001 → 200 ["198.51.100.1:8080","198.51.100.2:8080"]
updateResult=all: PUT service/5001 {} → 200 {"setip":{"success":"~"},"update_list":{"success":"~"},"password":{"success":"~"}}
inactiveTtlBody=none: GET sticky/changettl/5004/10 → 200 
inactiveTtlBody=array: GET sticky/changettl/5004/10 → 200 []
orderedService=Active: POST product/101 {"clientid":11}; GET service/5007 → 200 …"status":"Active",…
orderedService=Pending: POST product/101 {"clientid":11}; GET service/5007 → 200 …"status":"Pending",…
orderedService=Pending: POST product/101 {"clientid":11}; PUT service/5007 {} → 422 …
orderedInvoice=Paid: POST product/101 {"clientid":11}; GET billing/credit → 200 {"credit":80}
orderedInvoice=Unpaid: POST product/101 {"clientid":11}; GET billing/credit → 200 {"credit":100}
orderedInvoice=Paid: POST product/101 {"clientid":11}; GET billing/invoice/9004 → 200 …"status":"Paid",…,"date_paid":"2026-01-15",…
orderedInvoice=Unpaid: POST product/101 {"clientid":11}; GET billing/invoice/9004 → 200 …"status":"Unpaid","created_at":"~","amount":20,…
orderedInvoice=Payment Pending: POST product/101 {"clientid":11}; GET billing/invoice/9004 → 200 …"Payment Pending","created_at":"~","amount":20,…
orderedInvoice=Pending: POST product/101 {"clientid":11}; GET billing/invoice/9004 → 200 …"Pending","created_at":"~","amount":20,…
unknownInvoice=empty: GET billing/invoice/9999 → 200 []
unknownInvoice=empty: GET billing/invoice/abc → 200 []
unknownInvoice=unprocessable: GET billing/invoice/9999 → 422 {"error":"Unprocessable Entity "}
unknownInvoice=unprocessable: GET billing/invoice/__proto__ → 422 {"error":"Unprocessable Entity "}
unknownService=unprocessable: GET service/9999 → 422 …
unknownService=empty: GET service/9999 → 200 []
unknownService=empty: GET service/__proto__ → 200 []
unknownService=empty: GET service/5001 → 200 {"service_id":5001,…
ipListJson=strings: GET iplist/http-ip/json/5001 → 200 ["198.51.100.1:8080","198.51.100.2:8080"]
ipListJson=objects: GET iplist/http-ip/json/5001 → 200 [{"ip":"198.51.100.1","port":8080},{"ip":"198.51.100.2","port":8080}]
ipListLayout=full: GET iplist/socks-ip/txt/5001 → 200 198.51.100.1:1080\n198.51.100.2:1080\n
ipListLayout=addresses: GET iplist/http-auth/txt/5001 → 200 198.51.100.1\n198.51.100.2\n
ipListLayout=addresses: GET iplist/http-auth/csv/5001 → 200 ip\n198.51.100.1\n198.51.100.2\n
ipListLayout=addresses, ipListJson=objects: GET iplist/http-auth/json/5001 → 200 ["198.51.100.1","198.51.100.2"]
geo=code: GET product/101 → 200 …"geo":["US","DE"]}
geo=object: GET product/101 → 200 …"geo":[{"code":"US","name":"United States"},{"code":"DE","name":"Germany"}]}
hiddenProducts=unlisted: GET products → 200 …:101,…:201,…:202,…
hiddenProducts=listed: GET products → 200 …:101,…:102,…:201,…:202,…
rebindOwn=allowed: PUT service/5001 {"setip":"192.0.2.10"} → 200 …
rebindOwn=refused: PUT service/5001 {"setip":"192.0.2.10"} → 422 {"error":"Unprocessable Entity. IP already binded"}
rebindOwn=refused: PUT service/5001 {"setip":"192.0.2.11"} → 200 …
emptyBind=absent: POST product/101 {"clientid":11}; GET service/5007 → 200 …"password":"~","product_type":"fpr",…
emptyBind=empty: POST product/101 {"clientid":11}; GET service/5007 → 200 …"password":"~","bindedip":"","product_type":"fpr",…
emptyBind=empty: GET service/5002 → 200 …"password":"~","product_type":"ppr",…
emptyBind=empty: GET service/5001 → 200 …"bindedip":"192.0.2.10",…
usageOfFpr=unprocessable: GET stats/5001 → 422 …
usageOfFpr=empty: GET stats/5001 → 200 []
usageOfFpr=empty: GET rate/5001 → 200 []
usageOfFpr=empty: GET rate/5002 → 200 [{"limit":10000,"rate":200.5}]
heldAddress=held: PUT service/5001 {"setip":"192.0.2.13"} → 422 {"error":"Unprocessable Entity. IP already binded"}
heldAddress=released: PUT service/5001 {"setip":"192.0.2.13"} → 200 …
heldAddress=released: PUT service/5001 {"setip":"192.0.2.16"} → 422 {"error":"Unprocessable Entity. IP already binded"}
numbers=number: GET product/101 → 200 {"productId":101,"price":20,…"ip_count":10,…
numbers=string: GET product/101 → 200 {"productId":"101","price":"20.00",…"product_hidden":false,…"ip_count":"10",…
numbers=string: GET billing/credit → 200 {"credit":"100.00"}
numbers=string: GET rate/5002 → 200 [{"limit":"10000","rate":"200.5"}]
numbers=string: GET sticky/list/5002 → 200 [{…"ttl":"10",…
numbers=string: POST product/101 {"clientid":11} → 200 {"serviceId":"5007","orderId":"~","invoiceId":"9004","amount":"20.00","ip":"~"}
numbers=string, ipListJson=objects: GET iplist/http-ip/json/5001 → 200 [{"ip":"198.51.100.1","port":"8080"},…
looseNumbers=refused: POST product/101 {"clientid":"11"} → 422 {"error":"Unprocessable Entity. Incorrect posted data"}
looseNumbers=accepted: POST product/101 {"clientid":"11"} → 200 {"serviceId":5007,…
looseNumbers=accepted: POST product/101 {"clientid":11} → 200 {"serviceId":5007,…
looseNumbers=accepted: POST product/101 {"clientid":"99"} → 422 {"error":"Unprocessable Entity. ClientID not found"}
looseNumbers=accepted: POST product/101 {"clientid":"11x"} → 422 {"error":"Unprocessable Entity. Incorrect posted data"}
unsetDates=absent: GET billing/invoice/9002 → 200 …"amount":~,"paymentmethod":…
unsetDates=null: GET billing/invoice/9002 → 200 …"date_refunded":null,"date_paid":null,"paymentmethod":…
unsetDates=empty: GET billing/invoices → 200 …"date_refunded":"","date_paid":"2025-12-20",…,"date_refunded":"","date_paid":"",…
unsetDates=zero: GET billing/invoice/9002 → 200 …"date_refunded":"0000-00-00","date_paid":"0000-00-00",…
ipListType=formats: GET iplist/http-ip/csv/5001 → 200 text/csv ip,port\n198.51.100.1,8080\n198.51.100.2,8080\n
ipListType=plain: GET iplist/http-ip/csv/5001 → 200 text/plain ip,port\n198.51.100.1,8080\n198.51.100.2,8080\n
ipListType=plain: GET iplist/http-ip/json/5001 → 200 text/plain ["198.51.100.1:8080",…
ipListType=plain: GET service/5001 → 200 application/json {…
timeZone=UTC: GET sticky/list/5002 → 200 …"expires_at":"2026-01-15 12:10:00"…
timeZone=Asia/Kolkata: GET sticky/list/5002 → 200 …"expires_at":"2026-01-15 17:40:00"…
timeZone=America/New_York: PUT service/5001 {"update_list":"true"}; PUT service/5001 {"update_list":"true"} → 429 …possible: 2026-01-15 08:00:00"}
`
  .trim()
  .split('\n')
  .map((line) => {
    const [, assumptions = '', requests = '', status, type = '', text = ''] =
      /^(.+?): (.*) → (\d+) (?:((?:text|application)\/\w+) )?(.*)$/.exec(line) ?? []
    return {
      line,
      assumptions: assumptions.split(', '),
      requests: requests.split('; '),
      status: Number(status),
      type,
      text,
    }
  })

describe('an interpretation', () => {
  const simulator = startForAll({ scenario: scenarioWith() })

  it.each(interpretations.map((one) => [one.line, one] as const))(
    '%s',
    async (_line, { assumptions, requests, status, type, text }) => {
      const { call } = simulator()
      const body = { assumptions: Object.fromEntries(assumptions.map((one) => one.split('='))) }
      expect((await call('PATCH', '/__admin/accounts/reseller', { body })).status).toBe(200)
      let last: TestResponse<unknown> | undefined
      for (const request of requests) {
        const [method = '', path = '', ...raw] = request.split(' ')
        last = await call(method, `/api/${path}`, raw.length > 0 ? { raw: raw.join(' ') } : {})
      }
      await call('POST', '/__admin/reset')
      expect(last?.status).toBe(status)
      expect(last?.headers['content-type'] ?? '').toContain(type)
      const pattern = text
        .replaceAll(/[.*+?^${}()|[\]]/g, String.raw`\$&`)
        .replaceAll('…', '.*')
        .replaceAll('~', '[^"]*')
      expect(last?.text).toMatch(new RegExp(`^${pattern}$`))
    },
  )

  it('of the time zone determines the dates of events', async () => {
    const { call, admin } = simulator()
    const order = async (timeZone: string) => {
      await admin('PATCH', '/accounts/reseller', { assumptions: { timeZone } })
      const { invoiceId, serviceId } = (await call('POST', '/api/product/101', { body: { clientid: 11 } }))
        .json as Record<string, number>
      const [invoice] = (await call('GET', `/api/billing/invoice/${invoiceId}`)).json as Record<
        string,
        unknown
      >[]
      const service = (await call('GET', `/api/service/${serviceId}`)).json as Record<string, unknown>
      return [service['regdate'], service['nextduedate'], invoice?.['created_at'], invoice?.['date_paid']]
    }
    await admin('PUT', '/clock', { now: '2026-02-01T03:00:00Z', frozen: true })
    expect(await order('UTC')).toEqual(['2026-02-01', '2026-03-01', '2026-02-01', '2026-02-01'])
    expect(await order('America/New_York')).toEqual(['2026-01-31', '2026-02-28', '2026-01-31', '2026-01-31'])
    await call('POST', '/__admin/reset')
  })

  it('is tested for each value of each assumption', () => {
    const tested = new Set(interpretations.flatMap(({ assumptions }) => assumptions))
    const all = Object.entries(assumptionValues).flatMap(([id, values]) =>
      values.map((value) => `${id}=${value}`),
    )
    expect(all.filter((one) => !tested.has(one))).toEqual([])
  })
})
