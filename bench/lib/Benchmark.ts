export interface Benchmark {
  title: string
  description: string
  /** @returns Markdown */
  run: (options: Options) => Promise<string>
}

interface Options {
  /** Whether to take only a few short measurements, for a rough impression */
  quick: boolean
  /** Beginning of the names of workloads (floor) or peers to measure */
  only: string
  /** The folder for CPU profiles of our server (floor) */
  profiles?: string
}
