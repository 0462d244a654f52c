import type { Operation } from './Operation.ts'

export const getCredit: Operation<'getCredit'> = (_asked, { credit }) => ({ body: { credit } })
