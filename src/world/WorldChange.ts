/** A JSON Merge Patch of T (RFC 7386): sets the given fields, and null removes. */
export type PatchOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PatchOf<T[K]> | null }
    : T

/** How an operation changes a world. */
export type WorldChange = PatchOf<import('./World.ts').WorldData>
