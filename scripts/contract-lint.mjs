// Redocly over every contract in the root. By itself it would report its use and look for updates at each run;
// a script, because Windows has no `NAME=value command`.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

process.env.REDOCLY_TELEMETRY = 'off'
process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true'

const contracts = readdirSync('.').filter((name) => name.endsWith('openapi.yaml'))
const { status } = spawnSync(`redocly lint ${contracts.join(' ')}`, { stdio: 'inherit', shell: true })
process.exitCode = status ?? 1
