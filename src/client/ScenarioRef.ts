import type { ScenarioNames } from '../scenario/scenarioNames.gen.ts'

/** The shipped scenarios, and those added to `ScenarioNames` */
export type ScenarioName = keyof ScenarioNames

/** A scenario file, YAML or JSON */
export type ScenarioFile = `${string}.yaml` | `${string}.yml` | `${string}.json` | `${string}/${string}`

/**
 * A scenario by name. An unknown name is a compile error, but any plain `string`, as from the environment, is accepted.
 */
export type NamedScenario<Name extends string> = string extends Name ? Name : ScenarioName

/** A scenario by name, or its file. */
export type ScenarioRef<Name extends string> = string extends Name ? Name : ScenarioName | ScenarioFile
