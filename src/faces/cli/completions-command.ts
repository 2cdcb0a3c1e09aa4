/** `oriel completions`: the completion script of a shell, generated from the tables of commands and options. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { bash } from './completions/bash.ts';
import type { Entry } from './completions/entry.ts';
import { fish } from './completions/fish.ts';
import { zsh } from './completions/zsh.ts';

const SHELLS = { bash, zsh, fish } satisfies Record<string, (commands: readonly Entry[]) => string>;

const names = Object.keys(SHELLS);

/** `allCommands` is passed in, because the list of commands imports this file. */
export const completionsCommand = (allCommands: () => Promise<readonly Command[]>): Command => ({
  name: 'completions',
  operands: 'SHELL [WORD]',
  help: `print what ${names.join(', ')} needs to complete this command line, or the words that begin with WORD: symbols, members, tables`,
  choices: names,
  options: [],
  async run({ operands }, streams) {
    const { out } = streams;
    const [shell, word] = operands;
    if (shell === undefined || !Object.hasOwn(SHELLS, shell)) {
      const what =
        shell === undefined ? 'No shell was named' : `There are no completions for ${quote(shell)}`;
      throw new OrielError('BAD_INPUT', `${what}. Use oriel completions ${names.join(', or ')}.`);
    }
    if (word !== undefined) {
      const { completeWord } = await import('./complete-word.ts');
      const words = await completeWord(word, streams);
      out.write(words.map((one) => `${one}\n`).join(''));
      return words.length > 0 ? 0 : 1;
    }
    const commands = await allCommands();
    const help: Entry = {
      name: 'help',
      operands: '[COMMAND]',
      help: 'list the commands, or the options of one',
      choices: commands.map(({ name }) => name),
      options: [],
    };
    out.write(SHELLS[shell as keyof typeof SHELLS]([...commands, help]));
    return 0;
  },
});
