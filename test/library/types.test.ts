import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { components } from '../../src/contract/admin.gen.ts'
import type { referencesSchema, scenarioSchema } from '../../src/scenario/schema.ts'
import type { World } from '../../src/world/World.ts'
import {
  openSimulator,
  startSimulator,
  type CaseOf,
  type CommonCase,
  type FaultOptions,
  type Issue,
  type OperationId,
  type ScenarioAccount,
  type ScenarioDocument,
  type ScenarioInput,
  type SimulatorHandle,
  type AccountState,
} from 'proxysim'

// `npm run types` checks this file. Its calls are never executed.

test('a fault can only respond with a case of its operation', () => {
  expectTypeOf<'insufficient-funds'>().toExtend<CaseOf<'orderService'>>()
  expectTypeOf<'insufficient-funds'>().not.toExtend<CaseOf<'getCredit'>>()
  expectTypeOf<CommonCase>().toEqualTypeOf<
    'unauthenticated' | 'invalid-authorization-header' | 'invalid-credentials-format'
  >()

  type Respond<Op extends OperationId | '*'> = NonNullable<FaultOptions<Op>['respond']>
  expectTypeOf<'ip-already-bound'>().toExtend<Respond<'updateService'>>()
  expectTypeOf<'ip-already-bound'>().not.toExtend<Respond<'orderService'>>()
  expectTypeOf<'product-not-found'>().not.toExtend<Respond<'*'>>()
  expectTypeOf<{ status: number; body: string }>().toExtend<Respond<'*'>>()
})

test('the operation determines the cases', () => {
  const calls = (sim: SimulatorHandle) => [
    sim.fault({ operation: 'orderService', respond: 'insufficient-funds', times: 1 }),
    sim.fault({ operation: 'getCredit', delay: 2000 }),
    sim.fault(503),
    sim.fault({ name: 503, operation: 'getCredit' }),
    sim.patch({ faults: ['lost', 503, { name: 'lost', times: 1 }, { operation: '*', delay: 1 }] }),
    sim.patch({ faults: { 1: null, 2: 'lost' } }),
    sim.patch({ faults: null }),
    sim.schedule({ after: 'PT1S', patch: { faults: ['lost'] } }),
    sim.load({ extends: 'default', accounts: { reseller: { faults: ['lost'] } } }),
    // @ts-expect-error no such name
    sim.patch({ faults: ['lots'] }),
    // @ts-expect-error a case that getCredit does not have
    sim.fault({ operation: 'getCredit', respond: 'insufficient-funds' }),
    // @ts-expect-error not an operation of the contract
    sim.fault({ operation: 'getCredits', delay: 1 }),
    // @ts-expect-error not an operation of the contract
    sim.requests({ operation: 'order' }),
    // @ts-expect-error no such field in a world
    sim.patch({ credits: 0 }),
  ]
  expectTypeOf(calls).returns.items.toExtend<Promise<unknown>>()
})

test('requests are filtered by any case that Sim-Case can show', () => {
  const calls = (sim: SimulatorHandle) => [
    sim.requests({ case: 'insufficient-funds' }),
    sim.requests({ case: 'forced' }),
    sim.waitForRequests({ case: 'not-found' }),
    sim.har({ case: 'of-my-own-contract' }),
    // @ts-expect-error not a case
    sim.requests({ case: 422 }),
  ]
  expectTypeOf(calls).returns.items.toExtend<Promise<unknown>>()
})

test('an unknown scenario name does not compile, but any plain string does', () => {
  const text: string = process.env['SCENARIO'] ?? 'default'
  const one = text === 'default' ? 'low-funds' : 'ip-conflict'
  const calls = (sim: SimulatorHandle) => [
    sim.load('low-funds'),
    sim.load(one),
    sim.load(text),
    sim.load({ description: 'Empty.', extends: 'default' }),
    // @ts-expect-error no such scenario
    sim.load('low-fund'),
    // @ts-expect-error `load` takes no files, because the simulator may run on another machine
    sim.load('./mine.yaml'),
    sim.createAccount({ scenario: 'low-funds', login: 'a' }),
    // @ts-expect-error no such scenario
    sim.createAccount({ scenario: 'low-fund' }),
    startSimulator(),
    startSimulator({ scenario: 'low-funds', port: 0 }),
    startSimulator({ scenario: './mine.yaml' }),
    startSimulator({ scenario: 'folder/mine' }),
    startSimulator({ scenario: text }),
    // @ts-expect-error no such scenario
    startSimulator({ scenario: 'low-fund' }),
    openSimulator({ scenario: 'low-funds' }),
    // @ts-expect-error no such scenario
    openSimulator({ scenario: 'low-fund' }),
  ]
  expectTypeOf(calls).returns.items.toExtend<Promise<unknown>>()
})

/** Removes the `undefined` that zod adds to optional fields, and replaces arbitrary JSON with `unknown`. */
type Defined<T> = T extends readonly (infer Item)[]
  ? Defined<Item>[]
  : T extends object
    ? { [Key in keyof T]: Key extends 'body' ? unknown : Defined<Exclude<T[Key], undefined>> }
    : T

test('the types of scenarios equal those of the schema', () => {
  type Checked = Defined<z.input<typeof scenarioSchema>>
  expectTypeOf<Checked>().toExtend<ScenarioDocument>()
  expectTypeOf<ScenarioDocument>().toExtend<Checked>()
  expectTypeOf<keyof ScenarioAccount>().toEqualTypeOf<keyof Checked['accounts'][string]>()
  expectTypeOf<keyof ScenarioInput>().toEqualTypeOf<keyof Checked | 'extends' | 'fixtures'>()
  expectTypeOf<Pick<ScenarioInput, 'extends' | 'fixtures'>>().toEqualTypeOf<
    Pick<Defined<z.input<typeof referencesSchema>>, 'extends' | 'fixtures'>
  >()
})

test('a world that was read can be loaded as an account, and has the shape in the contract', () => {
  expectTypeOf<AccountState>().toExtend<ScenarioAccount>()
  // `version` and `origin` are internal to the store. The field `faults` includes the counters.
  expectTypeOf<keyof AccountState>().toEqualTypeOf<
    Exclude<keyof World, 'version' | 'origin' | 'faultCounts'>
  >()
  expectTypeOf<keyof AccountState>().toEqualTypeOf<keyof components['schemas']['World']>()
})

test('issues have a single shape', () => {
  expectTypeOf<Issue>().toEqualTypeOf<components['schemas']['WrongInput']['details'][number]>()
})
