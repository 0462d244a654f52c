import type { ObservedCall } from '../simulator.ts'
import type { CheckedResponse } from './checkResponse.ts'
import type { Parts } from './parts.ts'
import type { RecordedExchange } from './RecordedExchange.ts'

/** A recorded request and its response, with placeholders instead of secrets. */
export interface Exchange extends RecordedExchange {
  /** The response, checked against the contract */
  checked: CheckedResponse
  /** The parts of the response that count */
  parts: Parts
  /** The exchange in the form that facts are read from */
  call: ObservedCall
}
