/** `oriel read`. */

import { OrielError } from '../../errors.ts';
import { shellWord } from '../../text/shell.ts';
import { oneLine } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { Command, ExitCode, Streams, Values } from './command.ts';
import { SharedBudget } from './shared-budget.ts';
import { readOptions } from './option-table.ts';
import { operandPath } from './operands.ts';
import { printAnswer } from './print.ts';
import { keepInput } from './stdin.ts';
import { withTool } from './dialect-tool.ts';
import { workspaceOptions } from './workspaces.ts';

const SELECT =
  'oriel read shows lines N to M with FILE:N..M, the first 50 with FILE:1..50, the last with FILE:-50.';

export const readCommand: Command = {
  name: 'read',
  operands: 'PATH…',
  help: 'read files and directories; a path may end in a selector such as :50-100, and - is the standard input',
  options: [...workspaceOptions, ...readOptions],
  habits: { n: SELECT, c: SELECT, f: SELECT, '-limit': SELECT, '-offset': SELECT, '-lines': SELECT },
  async run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError(
        'BAD_INPUT',
        'Nothing to read. Use oriel read PATH, or oriel read . for this directory.',
      );
    }
    const budget =
      operands.length > 1 && values['json'] !== true ? new SharedBudget(values, operands.length) : undefined;
    let worst: ExitCode = 0;
    for (const operand of operands) {
      const code = await readOne(operand, budget?.next() ?? values, streams, budget);
      worst = code > worst ? code : worst;
    }
    return worst;
  },
};

async function readOne(
  operand: string,
  values: Values,
  streams: Streams,
  budget: SharedBudget | undefined,
): Promise<ExitCode> {
  const path = await keepInput(operand, values, streams);
  return withTool('read', values, streams, async (ask) => {
    const asJson = values['json'] === true;
    if (budget) streams.out.write(`==> ${oneLine(operand)} <==\n`);
    const answer = await ask({ path: operandPath(path) }, budget && { isPart: true });
    budget?.spend(answer);
    return printAnswer(
      isUnmatchedGlob(operand, answer) ? withGlobHint(operand, answer) : answer,
      streams,
      asJson,
      { name: 'read', values, operands: [path] },
    );
  });
}

/** Whether the operand is a glob that the shell did not expand, because it was quoted or nothing matched. URLs and paths with parameters are not globs. */
function isUnmatchedGlob(operand: string, { details }: Answer): boolean {
  const error = details['error'] as { readonly code?: string } | undefined;
  if (/^[a-z][\w+.-]+:\/\//i.test(operand) || /\?(?:q|where|limit|offset|after|order)=/i.test(operand))
    return false;
  return error?.code === 'NOT_FOUND' && /[*?]|\[.+\]|\{.+\}/s.test(operand);
}

function withGlobHint(operand: string, answer: Answer): Answer {
  const word = shellWord(operand).startsWith("'") ? shellWord(operand) : `'${operand}'`;
  const text = `No file is called ${operand}. To list the files that match, use oriel find ${word}; to read them, leave out the quotes.`;
  return { ...answer, content: [{ type: 'text', text: oneLine(text) }] };
}
