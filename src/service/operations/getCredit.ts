import type { Operation, Run } from './Operation.ts'

const run: Run<'getCredit'> = (_input, { credit }) => ({ body: { credit } })

export const getCredit: Operation<'getCredit'> = {
  run,
  dependsOnTime: false,
}
