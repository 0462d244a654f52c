/**
 * The shape of a response: a type, an array's items, or an object's required fields. "any" is any value, including null;
 * "none" is an empty body.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'any'
  | 'none'
  | readonly [Shape]
  | { readonly [field: string]: Shape }
