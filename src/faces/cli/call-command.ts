/** `oriel call`: any tool of any dialect, with its arguments as JSON. `oriel tools`: the tools as models see them. */

import { toolNames } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { endSession, orielOptions } from './dialect-tool.ts';
import { type CliCommand, describeOptions, fold, maxTimeout, readOptions } from './options.ts';
import { printAnswer, progressOn } from './print.ts';
import { commandOf, type TypedCommand } from './quote-calls.ts';
import { workspaceOptions, workspacesOf } from './workspaces.ts';

export const callCommand: CliCommand = {
  name: 'call',
  operands: 'TOOL JSON',
  help: 'call a tool of the chosen dialect with JSON arguments',
  choices: toolNames(),
  options: [...workspaceOptions, ...readOptions, maxTimeout, fold],
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

function parseJson(text: string, typed: TypedCommand): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // If it looks like a path, alone or as `path=…`, the suggestion uses it.
    const path = /^(?:path=)?([^=\s{}["']+)$/.exec(text)?.[1] ?? '.';
    const call = commandOf({ ...typed, operands: [...typed.operands, JSON.stringify({ path })] });
    throw new OrielError('BAD_INPUT', `${quote(text)} is not valid JSON. Use ${call}`, { cause });
  }
}

// `oriel tools`.

export const toolsCommand: CliCommand = {
  name: 'tools',
  operands: '[TOOL]',
  help: 'show the tools of the chosen dialect, or one of them; with --json their schemas',
  choices: toolNames(),
  options: describeOptions,
  async run({ values, operands: [name] }, { out }) {
    const { createOriel } = await import('../../oriel.ts');
    const oriel = createOriel(orielOptions(values));
    const tools = name === undefined ? oriel.tools : [oriel.tool(name)];
    if (values['json'] === true) {
      const described = tools.map(({ name, title, description, effects, jsonSchema }) => ({
        name,
        title,
        description,
        effects,
        inputSchema: jsonSchema,
      }));
      out.write(`${JSON.stringify(described, null, 2)}\n`);
    } else {
      for (const { name, description, jsonSchema } of tools) {
        const fields = Object.keys((jsonSchema['properties'] as object | undefined) ?? {}).join(', ');
        out.write(`${name} { ${fields} }\n${description.replaceAll(/^/gm, '  ')}\n\n`);
      }
    }
    return 0;
  },
};
