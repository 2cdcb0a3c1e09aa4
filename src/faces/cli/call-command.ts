/** `oriel call`: any tool of any dialect, with its arguments as JSON. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { endSession } from './end-session.ts';
import { readOptions } from './options.ts';
import { orielOptions } from './oriel-options.ts';
import { printAnswer } from './print.ts';
import { progressOn } from './progress.ts';
import { workspaceOptions, workspacesOf } from './workspaces.ts';

export const callCommand: Command = {
  name: 'call',
  operands: 'TOOL JSON',
  help: 'call a tool of the chosen dialect with JSON arguments',
  options: [...workspaceOptions, ...readOptions],
  async run({ values, operands }, streams) {
    const [name, json] = operands;
    if (name === undefined || json === undefined) {
      throw new OrielError(
        'BAD_INPUT',
        `A call takes a tool and one JSON object. Use oriel call read '{"path":"."}'.`,
      );
    }
    const { createOriel } = await import('../../oriel.ts');
    const oriel = createOriel({ ...orielOptions(values), ...(await workspacesOf(values, streams)) });
    const progress = progressOn(streams.err);
    const answer = await oriel
      .tool(name)
      .run(parseJson(json), { signal: streams.signal, onProgress: progress.show });
    progress.clear();
    const code = printAnswer(answer, streams, values['json'] === true);
    await endSession(oriel.session, streams.signal);
    return code;
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OrielError(
      'BAD_INPUT',
      `${quote(text)} is not valid JSON. Use an object such as {"path":"src/app.ts"}.`,
      { cause },
    );
  }
}
