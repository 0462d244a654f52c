import { z } from 'zod'
import { effects, getEffects, type FaultEffects } from '../faults/effects/effects.ts'
import type { SchemaTypes } from '../faults/effects/FaultEffect.ts'
import { genericFaults } from '../faults/presets.ts'
import { transitionShape, accountShape as apiShape } from '../service/index.ts'
import { addDuration } from '../world/time.ts'
import { faultPhases, kinds } from '../world/World.ts'
import { maxRecords } from './bounds.ts'
import { types } from './schemaTypes.ts'

/*
 * The schema of scenarios: an account has fields of the engine and of the API.
 */

const { anyJson, between, count, duration, each, fields, boolean, id, instant, listOf } = types
const { entriesOf, maybe, oneOf, secret, text, times, upTo, integer } = types

const clock = z
  .union(
    [
      instant,
      fields({
        now: maybe(instant, 'Current time (ISO 8601). Defaults to real time.'),
        frozen: maybe(boolean, 'Whether the clock is frozen. Defaults to false.'),
        rate: maybe(
          z.number().gt(0).max(100_000),
          'Seconds of this clock in one real second. Defaults to 1.',
        ),
      }),
    ],
    'Invalid input: expected an instant to freeze the clock at, or {now, frozen, rate}',
  )
  .describe('An instant to freeze the clock at (ISO 8601), or {now, frozen, rate}. Defaults to real time.')

const match = fields({
  path: maybe(
    z.record(z.string(), z.union([z.string(), z.number()], 'Invalid input: expected a string or a number')),
    'Path parameters.',
  ),
  body: maybe(anyJson, 'Values that the body must contain; others are ignored.'),
})

/** The existence of the case depends on the contract, so it is checked later. */
export const caseSchema = text.describe('The name of a case of the operation.')

const schemaTypes: SchemaTypes = { z, fields, oneOf, integer, between, anyJson, caseName: caseSchema }

type EffectShape = {
  [Name in keyof FaultEffects]-?: z.ZodOptional<
    z.ZodType<NonNullable<FaultEffects[Name]>, NonNullable<FaultEffects[Name]>>
  >
}

const effectShape = Object.fromEntries(
  Object.entries(effects).map(([name, { schema }]) => [name, schema(schemaTypes).optional()]),
) as EffectShape
const effectNames = Object.keys(effects)
const listedEffects = `${effectNames.slice(0, -1).join(', ')} or ${effectNames.at(-1)}`

/** A fault, in a scenario or from the control plane. The existence of the operation and case is checked later. */
export const faultSchema = fields({
  id: maybe(id, 'Fault ID.'),
  name: maybe(
    oneOf(genericFaults.map(({ name }) => name) as [string, ...string[]]),
    'A named fault, whose effects are added. Without an operation, it applies to all.',
  ),
  operation: text.describe('operationId, or * for every operation.'),
  match: maybe(match, 'Conditions that a request must meet to trigger the fault.'),
  phase: maybe(
    oneOf(faultPhases),
    'before: the operation is not executed. after: it is executed, then its response is dropped or replaced.',
  ),
  ...effectShape,
  after: maybe(count, 'Number of matching requests to let through first.'),
  times: maybe(times, 'Maximum number of times it triggers. Defaults to unlimited.'),
  probability: maybe(between(0, 1), 'Probability of triggering, 0 to 1. Repeatable with the same seed.'),
  seen: maybe(count, 'Matching requests so far.'),
  used: maybe(count, 'Number of times it has triggered.'),
}).refine((fault) => getEffects(fault).length > 0, {
  error: `A fault needs an effect: ${listedEffects}`,
  when: ({ issues }) => issues.length === 0, // a misspelt field is probably the effect
})

/** A timeline entry, in a scenario or from the control plane. */
export const entrySchema = fields({
  id: maybe(id, 'Entry ID.'),
  at: maybe(instant, 'Time at which it is due (ISO 8601).'),
  after: maybe(duration, 'Delay after the load, by the account’s clock (ISO 8601 duration).'),
  patch: maybe(
    z.record(z.string(), anyJson),
    'A JSON Merge Patch to the account, as for PATCH /accounts/{login}.',
  ),
  ...transitionShape(types),
  every: maybe(
    duration.refine(
      (value) => addDuration(0, value) !== 0,
      'Invalid duration: expected one longer than zero',
    ),
    'Duration after which it is due again (ISO 8601). Requires times.',
  ),
  times: maybe(times, 'Remaining number of occurrences.'),
  first: maybe(instant, 'Time of the first occurrence. Set in exports.'),
  done: maybe(count, 'Number of past occurrences. Set in exports.'),
  description: maybe(text, 'A short description of the change.'),
})

const pastEvent = fields({
  id: id.describe('Entry ID.'),
  at: instant.describe('Time at which it was due.'),
  description: maybe(text, 'Description of the change.'),
  reason: maybe(text, 'Reason, if the entry was skipped.'),
  effect: maybe(text, 'Its effect on the credit, or that a renewal was not paid.'),
})

const seed = z.int()

const accountShape = {
  password: secret.describe('Password of the login.'),
  tokens: maybe(listOf(secret), 'API tokens; each is accepted instead of the password.'),
  ...apiShape(types),
  seed: maybe(seed, 'Seed of this account. Defaults to the scenario’s.'),
  clock: clock.optional(),
  faults: maybe(
    entriesOf(faultSchema),
    'Faults, as a list or by id. The first matching one triggers. A merge replaces the whole list, or single entries by id.',
  ),
  timeline: maybe(
    entriesOf(entrySchema),
    'Scheduled changes, as a list or by id. A merge replaces the whole list, or single entries by id.',
  ),
  history: maybe(entriesOf(pastEvent), 'Past changes by the timeline, oldest first, as a list or by number.'),
  generate: maybe(
    fields(each(kinds, (kind) => maybe(upTo(maxRecords), `Number of additional ${kind}.`))),
    'Additional records, generated from the seed.',
  ),
  created: maybe(types.boolean, 'Whether it was created at runtime (POST /accounts). Set in exports.'),
}

/** A patch to an account, which may leave out the password. */
export const accountPartSchema = fields({ ...accountShape, password: accountShape.password.optional() })

const loginRule =
  "Invalid login: expected 1 to 100 characters, no colon, no control characters; not __proto__, and not . or .., which a URL can't contain; in Unicode's composed form, NFC"
export const loginSchema = z
  .string()
  .regex(/^(?!\.\.?$)[^:\u0000-\u001f\u007f-\u009f]{1,100}$/, loginRule)
  .refine(
    (login) => login !== '__proto__' && !/\p{Surrogate}/u.test(login) && login === login.normalize('NFC'),
    loginRule,
  )

/** A merged scenario. */
export const scenarioSchema = fields(
  {
    description: text.describe('Purpose of the scenario, in one line.'),
    seed: maybe(seed, 'Seed of all generated data. Equal seeds generate equal data.'),
    clock: clock.optional(),
    accounts: z
      .record(loginSchema, fields(accountShape).describe('An account, isolated from the others.'))
      .describe('Accounts by login. May be empty.'),
  },
  ['extends', 'fixtures'], // parsed by `referencesSchema`
)

/** A scenario file's references to others. */
export const referencesSchema = z.looseObject({
  extends: maybe(
    z.string().min(1),
    'Name of another scenario, to which this one is a JSON Merge Patch (RFC 7386).',
  ),
  fixtures: maybe(z.array(z.string().min(1)).max(100), 'Files of fixtures/ that are merged first, in order.'),
})
