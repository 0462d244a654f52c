// Generated from scenarios/ by `npx tsx scripts/generate.ts`. Do not edit.

/**
 * The names of scenarios. Add those of your own folder (`scenarios`):
 * @example
 * declare module 'proxysim' {
 *   interface ScenarioNames {
 *     'two-clients': true
 *   }
 * }
 */
export interface ScenarioNames {
  'access-revoked': true
  'client-gone': true
  'client-unknown': true
  'credentials-mangled': true
  'default': true
  'empty': true
  'flaky': true
  'header-mangled': true
  'invalid-ipv4': true
  'ip-conflict': true
  'large': true
  'lifecycle': true
  'low-funds': true
  'order-lost': true
  'other-interpretations': true
  'posted-data-refused': true
  'product-gone': true
  'provisioning': true
  'service-gone': true
  'service-pending': true
  'service-suspended': true
  'session-expired': true
  'slow': true
  'two-accounts': true
  'update-list-throttled': true
  'upstream-error': true
  'wrong-credentials': true
}
