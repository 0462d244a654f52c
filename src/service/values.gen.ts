// Generated from openapi.yaml by `npx tsx scripts/generate.ts`. Do not edit.

export const productTypes = ["fpr","ppr"] as const

export const serviceStatuses = ["Active","Pending","Suspended","Terminated","Cancelled","Fraud"] as const

export const billingCycles = ["Free","Monthly","Quarterly","Semi-Annually","Annually","Biennially","Triennially"] as const

export const invoiceStatuses = ["Unpaid","Paid","Cancelled","Refunded","Collections","Payment Pending","Pending"] as const

/** The operations that change state (`x-changes-state`), whatever their method */
export const changingOperations: readonly string[] = ["orderService","updateService","rotateStickySession","changeStickyTtl","resetStickySessions"]

/** All interpretations of each assumption, the default first */
export const assumptionValues = {
  "productSort": [
    "asc",
    "desc"
  ],
  "unknownSortField": [
    "unprocessable",
    "ignore"
  ],
  "updateResult": [
    "requested",
    "all"
  ],
  "inactiveTtlBody": [
    "none",
    "array"
  ],
  "orderedService": [
    "Active",
    "Pending"
  ],
  "orderedInvoice": [
    "Paid",
    "Unpaid",
    "Payment Pending",
    "Pending"
  ],
  "unknownInvoice": [
    "empty",
    "unprocessable"
  ],
  "unknownService": [
    "unprocessable",
    "empty"
  ],
  "ipListJson": [
    "strings",
    "objects"
  ],
  "geo": [
    "code",
    "object"
  ],
  "hiddenProducts": [
    "unlisted",
    "listed"
  ],
  "rebindOwn": [
    "allowed",
    "refused"
  ],
  "emptyBind": [
    "absent",
    "empty"
  ],
  "usageOfFpr": [
    "unprocessable",
    "empty"
  ],
  "ipListLayout": [
    "full",
    "addresses"
  ],
  "heldAddress": [
    "held",
    "released"
  ],
  "numbers": [
    "number",
    "string"
  ],
  "looseNumbers": [
    "refused",
    "accepted"
  ],
  "unsetDates": [
    "absent",
    "null",
    "empty",
    "zero"
  ],
  "ipListType": [
    "formats",
    "plain"
  ]
} as const

/** Assumptions that accept any value of a kind */
export const openAssumptions = {
  "updateListInterval": {
    "accepts": "seconds",
    "default": 3600
  },
  "timeZone": {
    "accepts": "time zone",
    "default": "UTC"
  }
} as const
