import { win32 } from 'node:path'

/** A command as `spawn` can start it on Windows. */
export interface WindowsCommand {
  file: string
  args: readonly string[]
  /** Whether the arguments are already quoted */
  windowsVerbatimArguments: boolean
}

/**
 * Prepares a command for `spawn` on Windows, which only starts .exe and .com files. Other programs, such as `npx.cmd`, need
 * cmd.exe, and scripts with a first line such as `#!/usr/bin/env node` need their interpreter. The rules are those of cross-spawn.
 * @param readStart returns the first characters of a file; undefined if there is no such file
 */
export function windowsCommand(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readStart: (path: string) => string | undefined,
): WindowsCommand {
  const find = (name: string): string | undefined =>
    candidates(name, env).find((path) => readStart(path) !== undefined)
  const found = find(command)
  // If there is no such program, the error of `spawn` says so.
  if (found === undefined) return { file: command, args, windowsVerbatimArguments: false }
  const [, interpreter] = /^#!\s*(?:\S*[/\\]env\s+)?(?:\S*[/\\])?(\S+)/.exec(readStart(found) ?? '') ?? []
  const [program, programArgs] =
    interpreter === undefined ? [found, args] : [find(interpreter) ?? interpreter, [found, ...args]]
  if (/\.(?:com|exe)$/i.test(program))
    return { file: program, args: programArgs, windowsVerbatimArguments: false }
  // The scripts that npm creates pass their arguments to another program, so cmd.exe reads them twice.
  const passes = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(program) ? 2 : 1
  const line = [escape(win32.normalize(program)), ...programArgs.map((arg) => quote(arg, passes))].join(' ')
  const shell = lookUp(env, 'comspec') ?? 'cmd.exe'
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true }
}

/** Lists the paths at which Windows looks for a program. A name with a folder isn't looked up in PATH. */
function candidates(name: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const hasFolder = /[\\/]/.test(name)
  const folders = hasFolder ? [''] : ['', ...(lookUp(env, 'path') ?? '').split(';').filter(Boolean)]
  const extensions = (lookUp(env, 'pathext') ?? '.EXE;.CMD;.BAT;.COM').split(';').filter(Boolean)
  // A name that has an extension is tried as it is first.
  const suffixes = name.includes('.') ? ['', ...extensions] : [...extensions, '']
  return folders.flatMap((folder) =>
    suffixes.map((suffix) => win32.join(folder.replace(/^"(.*)"$/, '$1'), `${name}${suffix}`)),
  )
}

/** Returns a variable, whose name has no case on Windows. */
function lookUp(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Escapes the characters that mean something to cmd.exe. */
function escape(text: string): string {
  return text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

/** Quotes an argument for the program, then escapes it for cmd.exe. Backslashes before a quote are doubled. */
function quote(arg: string, passes: number): string {
  let quoted = `"${arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`
  for (let pass = 0; pass < passes; pass++) quoted = escape(quoted)
  return quoted
}
