import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import { allMethods, resourcesWith } from './resources.ts';
import { triggers } from './trigger.ts';

/** The words that may come behind a command, besides its own commands. */
const WORDS: Readonly<Record<string, () => readonly string[]>> = {
  get: () => resourcesWith('get'),
  list: () => resourcesWith('list'),
  call: allMethods,
  trigger: triggers,
};

/** The words that complete a line: of the command so far, those that begin like the last word. */
export function completions(program: Command, line: readonly string[]): string[] {
  const begun = line.at(-1) ?? '';
  let command = program;
  for (const word of line.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command;
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = begun.startsWith('-')
    ? options
    : [...command.commands.map((each) => each.name()), ...(WORDS[command.name()]?.() ?? [])];
  return words.filter((word) => word.startsWith(begun));
}

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_reckoner() { COMPREPLY=($(reckoner complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)); }
complete -o default -F _reckoner reckoner
`,
  zsh: `#compdef reckoner
_reckoner() { compadd -- $(reckoner complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null); }
compdef _reckoner reckoner
`,
  fish: `complete -c reckoner -f -a '(reckoner complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** What a shell reads to complete the words of the program. */
export function completionScript(shell: string): string {
  const script = SCRIPTS[shell];
  if (script === undefined)
    throw new CommandFailure(
      `There is no completion for "${shell}".`,
      `the shells are: ${Object.keys(SCRIPTS).join(', ')}`,
    );
  return script;
}
