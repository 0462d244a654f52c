export interface Benchmark {
  title: string
  description: string
  /** @returns Markdown */
  run: (options: Options) => Promise<string>
}

interface Options {
  /** Few and short measurements, good for nothing but a look */
  quick: boolean
  /** How the name of a workload (floor) or of a peer begins */
  only: string
  /** The folder for processor profiles of our server (floor) */
  profiles?: string
}
