/** The part of js-yaml that we use: its own types don't know its listener's state. */
declare module 'js-yaml' {
  export interface LoaderState {
    /** Offset in the text */
    position: number
    /** Of the node that was read last */
    result: unknown
    anchor: string | null
  }

  export class YAMLException extends Error {
    reason: string
    mark?: { position: number }
  }

  export interface LoadOptions {
    schema?: object
    maxDepth?: number
    /** Whether a key may appear twice, as for JSON.parse */
    json?: boolean
    listener?: (event: 'open' | 'close', state: LoaderState) => void
  }

  export interface Type {
    tag: string
  }

  export const Type: new (
    tag: string,
    options: { kind: 'scalar'; resolve: (text: string) => boolean; construct: (text: string) => unknown },
  ) => Type

  export const types: Record<'null' | 'bool', Type>
  export const CORE_SCHEMA: object
  export const FAILSAFE_SCHEMA: { extend: (types: { implicit: readonly Type[] }) => object }
  /** @throws YAMLException */
  export function load(text: string, options?: LoadOptions): unknown
}
