import { expectTypeOf, test } from 'vitest'
import type {
  CaseOf,
  CommonCase,
  CoverageReport,
  FaultOptions,
  JournalEntry,
  OperationId,
  SimulatorHandle,
  StartedSimulator,
  StartOptions,
} from 'proxy-reselling-simulator'

// Checked by `npm run types`; nothing here runs.

test('a fault is answered with a case of its operation, and with no other', () => {
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

test('the operation that is named decides which cases fit', () => {
  const calls = (sim: SimulatorHandle) => [
    sim.fault({ operation: 'orderService', respond: 'insufficient-funds', times: 1 }),
    sim.fault({ operation: 'getCredit', delay: 2000 }),
    // @ts-expect-error a case that getCredit does not have
    sim.fault({ operation: 'getCredit', respond: 'insufficient-funds' }),
    // @ts-expect-error no operation of the contract
    sim.fault({ operation: 'getCredits', delay: 1 }),
    // @ts-expect-error no operation of the contract
    sim.requests({ operation: 'order' }),
    // @ts-expect-error no such field in a world
    sim.patch({ credits: 0 }),
  ]
  expectTypeOf(calls).returns.items.toExtend<Promise<unknown>>()
})

test('what comes back is typed', () => {
  expectTypeOf<SimulatorHandle['authorization']>().returns.toBeString()
  expectTypeOf<Awaited<ReturnType<SimulatorHandle['requests']>>['requests']>().toEqualTypeOf<JournalEntry[]>()
  expectTypeOf<CoverageReport['percent']>().toBeNumber()
  expectTypeOf<StartedSimulator>().toExtend<AsyncDisposable>()
  expectTypeOf<StartedSimulator>().toExtend<SimulatorHandle>()
})

test('an option that does not exist is refused', () => {
  expectTypeOf<{ scenario: 'low-funds'; port: 0 }>().toExtend<StartOptions>()
  // @ts-expect-error there is no such option
  const wrong: StartOptions = { nonsense: true }
  expectTypeOf(wrong).toEqualTypeOf<StartOptions>()
})
