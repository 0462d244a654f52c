import { Argument, type Command } from 'commander'
import { completionScripts, type CompletedCommand } from '../completionScripts.ts'

const help = `
Completes commands, flags and their values in your shell. Put the line into its start-up file to keep it.

Examples:
  source <(proxysim completion bash)        in ~/.bashrc
  source <(proxysim completion zsh)         in ~/.zshrc, after compinit
  proxysim completion fish | source         in ~/.config/fish/config.fish`

export function completion(command: Command): Command {
  return command
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
    .addHelpText('after', help)
    .action((shell: keyof typeof completionScripts) => {
      process.stdout.write(completionScripts[shell]((command.parent?.commands ?? []).map(completed)))
    })
}

function completed(command: Command): CompletedCommand {
  return {
    name: command.name(),
    summary: command.summary(),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    flags: command.options.map((option) => ({
      name: option.long ?? '',
      description: option.description,
      takesValue: option.required || option.optional,
      values: option.argChoices ?? [],
    })),
  }
}
