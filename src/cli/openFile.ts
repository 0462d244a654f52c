import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
}

/** Opens a file with the system's default program. @returns a message with the result */
export async function openFile(name: string): Promise<string> {
  const file = resolve(name)
  const [command = '', ...args] = openers[process.platform] ?? ['xdg-open']
  const opening = spawn(command, [...args, file], { detached: true, stdio: 'ignore' })
  opening.unref()
  try {
    await once(opening, 'spawn')
    return `opened ${file}`
  } catch {
    return `there is no ${command} here; open ${file} yourself`
  }
}
