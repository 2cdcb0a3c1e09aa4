/** `oriel tools`: prints the tools as models see them. */

import { toolNames } from '../../dialects/dialect-table.ts';
import type { Command } from './command.ts';
import { describeOptions } from './option-table.ts';
import { orielOptions } from './oriel-options.ts';

export const toolsCommand: Command = {
  name: 'tools',
  operands: '[TOOL]',
  help: 'show the tools of the chosen dialect, or one of them; with --json their schemas',
  choices: toolNames,
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
