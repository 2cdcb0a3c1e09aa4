/** `oriel call`: any tool of any dialect, with its arguments as JSON. */

import { toolNames } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { endSession } from './end-session.ts';
import { readOptions } from './option-table.ts';
import { orielOptions } from './oriel-options.ts';
import { printAnswer } from './print.ts';
import { progressOn } from './progress-line.ts';
import { commandOf, type Typed } from './typed.ts';
import { workspaceOptions, workspacesOf } from './workspaces.ts';

export const callCommand: Command = {
  name: 'call',
  operands: 'TOOL JSON',
  help: 'call a tool of the chosen dialect with JSON arguments',
  choices: toolNames,
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
    const answer = await oriel.tool(name).run(parseJson(json, { name: 'call', values, operands: [name] }), {
      signal: streams.signal,
      onProgress: progress.show,
    });
    progress.clear();
    const code = printAnswer(answer, streams, values['json'] === true);
    await endSession(oriel.session, streams.signal);
    return code;
  },
};

function parseJson(text: string, typed: Typed): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // If it looks like a path, alone or as `path=…`, the suggestion uses it.
    const path = /^(?:path=)?([^=\s{}["']+)$/.exec(text)?.[1] ?? '.';
    const call = commandOf({ ...typed, operands: [...typed.operands, JSON.stringify({ path })] });
    throw new OrielError('BAD_INPUT', `${quote(text)} is not valid JSON. Use ${call}`, { cause });
  }
}
