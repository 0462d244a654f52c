import type { CapturedAnswer } from '../lib/captureAnswers.ts'
import type { Workload } from '../lib/Workload.ts'

/** What a peer is set up with. */
export interface Setting {
  /** Where it is installed: what it needs stands in `node_modules` */
  installed: string
  /** A folder of its own for what it reads and writes */
  folder: string
  port: number
  /** Another free one, for a tool that wants two */
  secondPort: number
  /** The contract, with our answers as examples */
  contract: string
  /** What it is to answer, by the workload's name */
  answers: Record<string, CapturedAnswer>
}

/** Another tool that people take for the same purpose. */
export interface Peer {
  name: string
  /** As npm installs them; one version each, so that the figures can be had again */
  packages: readonly string[]
  /** Writes its files, and gives the command that starts it */
  command: (setting: Setting) => readonly string[]
  /** A workload as this tool can answer it; undefined where it can't. */
  adapt: (workload: Workload) => Workload | undefined
  /** What one should know beside the figures */
  note: string
}
