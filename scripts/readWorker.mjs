// The thread of src/scenario/readAside.ts where the program runs from its sources, as it does under Vitest, whose
// loader threads do not inherit. `--import tsx` does nothing in a thread.
import { register } from 'tsx/esm/api'

register()
await import('../src/scenario/readWorker.ts')
