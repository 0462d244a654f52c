import { existsSync, readdirSync, statSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Once before all tests: dist/ui and dist/docs are built where they are missing or older than ui/. */
export default async function buildPages(): Promise<void> {
  await copySwaggerUi()
  const built = statSync(`${root}dist/ui/index.html`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (newest(`${root}ui`) <= built) return
  const { build } = await import('vite')
  await build({ configFile: `${root}ui/vite.config.ts`, logLevel: 'error' })
}

async function copySwaggerUi(): Promise<void> {
  await mkdir(`${root}dist/docs`, { recursive: true })
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    if (!existsSync(`${root}dist/docs/${file}`))
      await copyFile(`${root}node_modules/swagger-ui-dist/${file}`, `${root}dist/docs/${file}`)
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((file) => statSync(`${folder}/${file}`).mtimeMs))
}
