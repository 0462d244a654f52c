import type { Operation } from './Operation.ts'

export const getCredit: Operation<'getCredit'> = (_input, { credit }) => ({ body: { credit } })
