// The thread of src/scenario/parseYamlAside.ts where the program runs from its sources, as it does under Vitest, whose
// loader threads do not inherit. `--import tsx` does nothing in a thread.
import { register } from 'tsx/esm/api'

register()
await import('../src/scenario/yamlWorker.ts')
