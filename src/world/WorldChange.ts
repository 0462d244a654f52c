/** A JSON Merge Patch of T (RFC 7386): what is named is set, null removes. */
export type PatchOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PatchOf<T[K]> | null }
    : T

/** What an operation makes of a world. */
export type WorldChange = PatchOf<import('./World.ts').World>
