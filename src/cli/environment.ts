import { suggestion } from '../lib/nearest.ts'
import { printMessage } from './output.ts'

/** The variables that the program reads: those of flags, and PROXYSIM_DEBUG. A test compares them with the flags of all commands. */
export const settings: readonly string[] = [
  'PROXYSIM_ADMIN_TOKEN',
  'PROXYSIM_ALLOWED_HOST',
  'PROXYSIM_ASSUME',
  'PROXYSIM_CONTRACT',
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
  for (const name of Object.keys(process.env)) {
    if (!name.startsWith('PROXYSIM_') || settings.includes(name) || others.test(name)) continue
    printMessage(
      `Warning: ${name} in the environment is no setting, and is ignored.${suggestion(name, settings)}`,
    )
  }
}
