import { shellQuote } from './shellQuote.ts'

export interface CompletedCommand {
  name: string
  summary: string
  /** For its arguments */
  values: string[]
  flags: { name: string; description: string; takesValue: boolean; values: string[] }[]
}

/** Completion scripts by shell. Files are completed wherever a file is allowed. */
export const completionScripts = {
  bash: (commands: readonly CompletedCommand[]) => `_proxysim() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cmd= word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in ${names(commands).join('|')}) cmd=$word; break ;; esac
  done
${choose(commands, (words) => `COMPREPLY=($(compgen -W ${shellQuote([words.join(' ')])} -- "$cur"))`)}
}
complete -o default -F _proxysim proxysim
`,
  zsh: (commands: readonly CompletedCommand[]) => `_proxysim() {
  local prev=\${words[CURRENT-1]} cmd= word
  for word in \${words[2,CURRENT-1]}; do
    case $word in ${names(commands).join('|')}) cmd=$word; break ;; esac
  done
${choose(commands, (words) => (words.length ? `compadd -- ${shellQuote(words)}; _files` : '_files'))}
}
compdef _proxysim proxysim
`,
  fish: (commands: readonly CompletedCommand[]) =>
    `${commands
      .flatMap(({ name, summary, values, flags }) => {
        const others = names(commands).filter((other) => other !== name)
        const isAfter =
          name === 'serve'
            ? `not __fish_seen_subcommand_from ${others.join(' ')}`
            : `__fish_seen_subcommand_from ${name}`
        return [
          `complete -c proxysim -n __fish_use_subcommand -f -a ${name} -d ${shellQuote([summary])}`,
          ...(values.length ? [`complete -c proxysim -n '${isAfter}' -f -a '${values.join(' ')}'`] : []),
          ...flags.map(
            (flag) =>
              `complete -c proxysim -n '${isAfter}' -l ${flag.name.slice(2)} -d ${shellQuote([flag.description])}${flag.takesValue ? ' -r' : ''}${flag.values.length ? ` -f -a '${flag.values.join(' ')}'` : ''}`,
          ),
        ]
      })
      .join('\n')}\n`,
}

function names(commands: readonly CompletedCommand[]): string[] {
  return commands.map(({ name }) => name)
}

/**
 * A POSIX `case` on the command and the previous word. Without a command, completes command names and \`serve\`'s
 * flags.
 */
function choose(commands: readonly CompletedCommand[], offer: (words: string[]) => string): string {
  const flagsOf = ({ flags }: CompletedCommand): string[] => flags.map(({ name }) => name)
  const patterns = (name: string, word: string): string =>
    [name, ...(name === 'serve' ? [''] : [])].map((command) => `${command}:${word}`).join('|')
  const serve = commands.find(({ name }) => name === 'serve')
  return [
    '  case $cmd:$prev in',
    ...commands.flatMap(({ name, flags }) =>
      flags
        .filter(({ takesValue }) => takesValue)
        .map((flag) => `    ${patterns(name, flag.name)}) ${offer(flag.values)} ;;`),
    ),
    ...commands.map(
      (command) => `    ${command.name}:*) ${offer([...command.values, ...flagsOf(command)])} ;;`,
    ),
    `    :*) ${offer([...names(commands), ...(serve ? flagsOf(serve) : [])])} ;;`,
    '  esac',
  ].join('\n')
}
