import type { ScenarioNames } from '../scenario/scenarioNames.gen.ts'

/** The scenarios that are shipped, and those that were added to `ScenarioNames` */
export type ScenarioName = keyof ScenarioNames

/** A scenario's file: YAML or JSON */
export type ScenarioFile = `${string}.yaml` | `${string}.yml` | `${string}.json` | `${string}/${string}`

/**
 * A scenario by its name. A name that does not exist is a compile error; a plain `string`, as from the environment, is
 * taken as it is.
 */
export type NamedScenario<Name extends string> = string extends Name ? Name : ScenarioName

/** A scenario by its name, or its file. */
export type ScenarioRef<Name extends string> = string extends Name ? Name : ScenarioName | ScenarioFile
