import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { World } from '../world/World.ts'
import type { Instant } from '../world/time.ts'
import { readClock } from '../state/clock.ts'
import type { State } from '../state/State.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** The present state as a scenario that, loaded again, gives the same answers: clock, throttle and counters included. */
export function exportScenario({ scenario, accounts }: State, real: Instant): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([login, world]) => [login, exportAccount(world, real)]),
    ),
  }
}

/** A world as the account of a scenario. */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  return { ...world, clock: readClock(world.clock, real) }
}

/**
 * A scenario as YAML, record by record: the writer takes its time for each.
 * @param stringify writes a value as YAML
 */
export function* yamlOf(scenario: ScenarioDocument, stringify: (value: unknown) => string): Steps<string> {
  let text = ''
  function* add(map: object, indent: string): Steps<void> {
    for (const [key, value] of Object.entries(map)) {
      // accounts, logins and kinds are taken apart; records are not
      const isTaken = indent.length < 6 && isObject(value) && Object.keys(value).length > 0
      const lines = stringify({ [key]: isTaken ? {} : (value as unknown) })
      text += (isTaken ? lines.replace(/ \{\}\n$/, '\n') : lines).replaceAll(/^(?=.)/gm, indent)
      if (isTaken) yield* add(value, `${indent}  `)
      yield
    }
  }
  yield* add(scenario, '')
  return text
}
