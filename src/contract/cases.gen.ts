// Generated from openapi.yaml by `npx tsx scripts/generate.ts`. Do not edit.

/** The error cases of each operation: the named response examples, in the contract's order. */
export const casesByOperation = {
  listClients: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
  ],
  getStats: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  getRate: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  getProduct: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'product-not-found',
  ],
  orderService: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'product-not-found',
    'insufficient-funds',
    'incorrect-posted-data',
    'client-not-found',
  ],
  listProducts: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
  ],
  listProductsOrderedBy: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  getNetworkErrors: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'client-not-found',
    'unauthenticated',
    'unprocessable',
  ],
  getNetworkInactive: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'client-not-found',
    'unauthenticated',
    'unprocessable',
  ],
  getCredit: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
  ],
  listInvoices: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
  ],
  getInvoice: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  getService: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  updateService: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'client-not-found',
    'unauthenticated',
    'unprocessable',
    'incorrect-posted-data',
    'invalid-ipv4',
    'ip-already-bound',
    'update-list-throttled',
  ],
  listServices: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
  ],
  getIpList: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  listStickySessions: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'upstream-error',
  ],
  rotateStickySession: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  changeStickyTtl: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
  resetStickySessions: [
    'invalid-authorization-header',
    'invalid-credentials-format',
    'unauthenticated',
    'unprocessable',
  ],
} as const

export type OperationId = keyof typeof casesByOperation

/** The cases of an operation. */
export type CaseOf<Op extends OperationId> = (typeof casesByOperation)[Op][number]

export type CaseName = CaseOf<OperationId>
