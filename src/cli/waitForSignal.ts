const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Resolves with the first SIGINT, SIGTERM or SIGHUP. A second signal ends the process immediately, with 128 plus its number. */
export function waitForSignal(): Promise<keyof typeof codes> {
  return new Promise((resolve) => {
    let isStopping = false
    for (const signal of Object.keys(codes) as (keyof typeof codes)[])
      process.on(signal, () => {
        if (isStopping) process.exit(codes[signal])
        isStopping = true
        resolve(signal)
      })
  })
}
