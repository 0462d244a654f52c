/** One thing that is wrong with an input, and where. */
export interface Issue {
  /** The field, as `services.5001.status`; empty for the whole */
  path: string
  message: string
  /** Of a scenario */
  file?: string
  /** From 1 */
  line?: number
  /** From 1 */
  column?: number
}
