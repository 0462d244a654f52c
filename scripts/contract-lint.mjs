// Runs Redocly on every contract in the root, without telemetry and update checks. This is a script because Windows
// shells have no `NAME=value command`.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

process.env.REDOCLY_TELEMETRY = 'off'
process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true'

const contracts = readdirSync('.').filter((name) => name.endsWith('openapi.yaml'))
const { status } = spawnSync(`redocly lint ${contracts.join(' ')}`, { stdio: 'inherit', shell: true })
process.exitCode = status ?? 1
