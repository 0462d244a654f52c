import { nearest } from '../lib/nearest.ts'
import { printMessage } from './output.ts'

/** The variables that the program reads: those of flags, and PROXYSIM_DEBUG. A test compares them with the flags of all commands. */
export const settings: readonly string[] = [
  'PROXYSIM_ADMIN_TOKEN',
  'PROXYSIM_ALLOWED_HOST',
  'PROXYSIM_ASSUME',
  'PROXYSIM_CORS',
  'PROXYSIM_DB',
  'PROXYSIM_DEBUG',
  'PROXYSIM_DRAIN',
  'PROXYSIM_HOST',
  'PROXYSIM_IN_MEMORY',
  'PROXYSIM_JOURNAL',
  'PROXYSIM_LOG_LEVEL',
  'PROXYSIM_NO_EXPLAIN',
  'PROXYSIM_OVERRIDE',
  'PROXYSIM_PORT',
  'PROXYSIM_QUIET',
  'PROXYSIM_SCENARIO',
  'PROXYSIM_SCENARIOS',
  'PROXYSIM_STORE',
  'PROXYSIM_STORE_PREFIX',
  'PROXYSIM_TLS_CERT',
  'PROXYSIM_TLS_KEY',
  'PROXYSIM_URL',
]

/** Variables for the commands that exec, matrix and sweep run, and those that Kubernetes sets for a service named proxysim */
const others = /^PROXYSIM_(?:LOGIN|PASSWORD|RUN_DIR|WORKER|FAULT|INTERPRETATION|SERVICE_.*|PORT_.*)$/

/** Warns about variables that look like a setting, but are none: a typo would otherwise be ignored. */
export function warnAboutUnknownVariables(): void {
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.startsWith(prefix) || value === '' || settings.includes(name) || others.test(name)) continue
    const near = findSetting(name.slice(prefix.length))
    const hint = near === undefined ? '' : ` Did you mean ${prefix}${near}?`
    printMessage(`Warning: ${name} in the environment is not a setting, and is ignored.${hint}`)
  }
}

const prefix = 'PROXYSIM_'

/** Returns the setting that a name is a typo of, or begins with: `DB` for `DBFILE`. Names are without the prefix. */
function findSetting(name: string): string | undefined {
  const known = settings.map((setting) => setting.slice(prefix.length))
  return nearest(name, known) ?? known.findLast((setting) => name.startsWith(setting))
}
