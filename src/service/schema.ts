import type { z } from 'zod'
import type { SchemaBuilders as Builders } from '../scenario/schemaTypes.ts'
import { type FieldType, getFields, type Kind, kinds, type RecordsInput } from './records.ts'
import { firstIds, type Limits, type NextIds } from './settings.ts'
import {
  type Assumptions,
  assumptionIds,
  assumptionValues,
  billingCycles,
  invoiceStatuses,
  openAssumptions,
  productTypes,
  serviceStatuses,
} from './values.ts'

/*
 * The schema of this API's part of a scenario account. The builders are an argument, so that requests don't load zod.
 */

type Optional<T> = z.ZodOptional<z.ZodType<T, T>>

/** The interval is also accepted in `assumptions`, but is stored in `limits`. */
type ScenarioAssumptions = Partial<Assumptions & Pick<Limits, 'updateListInterval'>>

/** The fields of an account that the engine doesn't define. */
export function accountShape(types: Builders) {
  const { maybe, usd, listOf, oneOf, fields, each, nextId } = types
  return {
    credit: maybe(usd, 'USD. Defaults to 0.'),
    ...recordShapes(types),
    limits: maybe(limits(types), 'Delays and rate limits.'),
    assumptions: maybe(assumptions(types), 'Interpretations of gaps in the documentation.'),
    confirmed: maybe(
      listOf(oneOf(assumptionIds as [string, ...string[]])),
      'Assumptions that recordings of the real service, or its provider, have confirmed.',
    ),
    next: maybe(
      fields(each(Object.keys(firstIds) as (keyof NextIds)[], (name) => maybe(nextId, `ID of a ${name}.`))),
      'The lowest IDs to assign next, by kind.',
    ),
  }
}

/** Actions of a timeline entry other than a patch. */
export function transitionShape({ maybe, id, signedUsd, byId, fields, amount }: Builders) {
  const added = fields({ usage: amount.describe('Requests, or traffic in MB, to add to the current day.') })
  const addition = fields({
    credit: maybe(signedUsd, 'USD to add, or to deduct if negative.'),
    services: maybe(byId(added), 'Usage to add, by service ID; ppr only.'),
  })
  return {
    add: maybe(addition, 'Amounts to add.'),
    activate: maybe(id, 'ID of a Pending service to activate.'),
    pay: maybe(id, 'ID of an open invoice to pay from the credit.'),
    renew: maybe(id, 'ID of a service to renew from the credit, or to suspend if the credit is too low.'),
  }
}

/** The records of each kind by id, as `records.ts` describes them. */
function recordShapes(types: Builders): { [K in Kind]: Optional<Record<string, RecordsInput[K]>> } {
  const { each, maybe, byId, fields, id } = types
  const schemas = fieldSchemas(types)
  return each(kinds, (kind) => {
    const shape: Record<string, z.ZodType> = Object.fromEntries(
      getFields(kind).map(([name, { type, description, isRequired }]) => {
        const schema = description === undefined ? schemas[type] : schemas[type].describe(description)
        return [name, isRequired ? schema : schema.optional()]
      }),
    )
    if (kind === 'services')
      shape['service_id'] = maybe(id, 'Service ID, as in the API. It must equal the key.')
    return maybe(byId(fields(shape)), `${kind.charAt(0).toUpperCase()}${kind.slice(1)} by ID.`)
  }) as unknown as ReturnType<typeof recordShapes>
}

/** The schema of each field type. */
function fieldSchemas(types: Builders): Record<FieldType, z.ZodType> {
  const { z, count, date, dateTime, boolean, id, instant, ip, listOf, oneOf, secret, text, usd, integer } =
    types
  const { lastDate, upToLength } = types
  return {
    addresses: listOf(ip),
    addressCount: integer(1, 65_536),
    billingCycle: oneOf(billingCycles),
    boundAddress: z.union([ip, z.literal('')], 'Invalid input: expected an IPv4 address, or ""'),
    count,
    countries: listOf(z.string().regex(/^[A-Z]{2}$/, 'Invalid country code: expected two capital letters')),
    date,
    dateTime,
    flag: boolean,
    id,
    instant,
    invoiceStatus: oneOf(invoiceStatuses),
    // An order's description contains the product's name.
    longText: upToLength(20_000),
    // A default order id can be slightly above the service's id.
    orderId: integer(1, 99_999_999_999),
    productType: oneOf(productTypes),
    regdate: date.refine((day) => day <= lastDate, `Invalid date: expected at most ${lastDate}`),
    secret,
    serviceStatus: oneOf(serviceStatuses),
    sticky: sticky(types),
    text,
    usage: usage(types),
    usd,
  }
}

function usage({ z, fields, maybe, amount, date }: Builders) {
  return fields({
    limit: z
      .union([amount, z.literal('none')], 'Invalid input: expected a number, or null for no limit')
      .nullable()
      .describe('Maximum number of requests, or traffic in MB; null for no limit. Defaults to 10000.')
      .optional(),
    rate: maybe(amount, 'Total usage, if it is not the sum of stats.'),
    stats: maybe(z.record(date, amount), 'Date (YYYY-MM-DD) → number of requests, or traffic in MB.'),
  })
}

function sticky({ z, fields, maybe, listOf, text, ip, count, instant }: Builders) {
  const session = fields({
    server: text.describe('Name of the server.'),
    session: text.describe('Session ID.'),
    ip: maybe(ip, 'Current address. Defaults to one generated from the seed.'),
    rotations: maybe(count, 'Number of rotations so far.'),
    since: maybe(instant, 'Start of its TTL. Defaults to the time of loading.'),
  })
  return fields({
    ttl: maybe(
      z.literal<number[]>([1, 2, 3, 5, 10, 15]),
      'Lifetime of a session in minutes: 1, 2, 3, 5, 10 or 15.',
    ),
    sessions: maybe(listOf(session), 'The sessions. A merge replaces the whole list.'),
  })
}

function limits({ fields, maybe, interval, boolean, times, between, instant, count }: Builders) {
  const per = between(1, 1e9)
  return fields({
    updateListInterval: maybe(interval, 'Seconds between two IP-list updates of a service.'),
    activation: maybe(
      interval,
      'Seconds until a new service with status Pending becomes Active. Defaults to never.',
    ),
    payment: maybe(interval, 'Seconds until the unpaid invoice of an order is paid. Defaults to never.'),
    renewal: maybe(boolean, 'Whether services are renewed on their due dates. Defaults to false.'),
    requests: maybe(
      fields({
        count: times.describe(
          'Maximum number of authenticated requests in a window. Further ones get a 429.',
        ),
        per: per.describe('Length of a window in seconds. A window begins with its first request.'),
        since: maybe(instant, 'Start of the current window.'),
        used: maybe(count, 'Requests in the current window so far.'),
      }),
      'Rate limit for authenticated requests. Defaults to unlimited.',
    ),
  })
}

function assumptions({ z, fields, maybe, interval, timeZone }: Builders) {
  /** Schemas for the values of assumptions, by `accepts` */
  const accepted = { seconds: interval, 'time zone': timeZone }
  const shape: Record<string, z.ZodType> = Object.fromEntries([
    ...Object.entries(assumptionValues).map(
      ([name, values]: [string, readonly [string | number, ...(string | number)[]]]) => {
        const all = values.join(', ')
        return [name, maybe(z.literal(values), `${all}. Defaults to ${values[0]}.`)]
      },
    ),
    ...Object.entries(openAssumptions).map(([name, { accepts, default: fallback }]) => [
      name,
      maybe(
        accepted[accepts],
        `Any ${accepts === 'seconds' ? 'number of seconds' : accepts}. Defaults to ${fallback}.`,
      ),
    ]),
  ])
  return fields(shape) as unknown as z.ZodType<ScenarioAssumptions, ScenarioAssumptions>
}
