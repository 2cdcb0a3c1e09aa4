/** Finds the tool of the chosen dialect for a command, and calls it. */

import { assemble, type RunOptions } from '../../assemble.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { dialectNames, dialectOf } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import type { Answer } from '../../types/answer.ts';
import type { Session } from '../../types/session.ts';
import type { Streams, Values } from './command.ts';
import { endSession } from './end-session.ts';
import { orielOptions } from './oriel-options.ts';
import { progressOn, silent } from './progress-line.ts';
import { workspacesOf } from './workspaces.ts';

/** The names of the tool for each command in the dialects, and example operands. */
const TOOLS = {
  read: { names: ['read', 'read_file'], example: 'PATH' },
  bash: { names: ['bash'], example: "'COMMAND'" },
  grep: { names: ['grep'], example: 'PATTERN' },
  find: { names: ['find'], example: "'*.ts'" },
  ls: { names: ['ls'], example: '' },
} as const;

export type ToolCommand = keyof typeof TOOLS;

/** Calls the tool and shows progress. */
export type Ask = (
  input: Readonly<Record<string, unknown>>,
  options?: Pick<RunOptions, 'onOutput' | 'isPart'>,
) => Promise<Answer>;

/** Calls `use` with a session of its own, which it closes. Throws `BAD_INPUT` if the dialect has no such tool. */
export async function withTool<T>(
  command: ToolCommand,
  values: Values,
  streams: Streams,
  use: (ask: Ask) => Promise<T>,
): Promise<T> {
  const opened = await open(command, values, streams);
  try {
    return await use(async (input, options = {}) => {
      const progress = options.onOutput ? silent : progressOn(streams.err);
      const answer = await opened.run(input, {
        ...options,
        signal: streams.signal,
        onProgress: progress.show,
      });
      progress.clear();
      return answer;
    });
  } finally {
    await endSession(opened.session, streams.signal);
  }
}

interface OpenedTool {
  run(input: Readonly<Record<string, unknown>>, options: RunOptions): Promise<Answer>;
  readonly session: Session;
}

async function open(command: ToolCommand, values: Values, streams: Streams): Promise<OpenedTool> {
  const options = { ...orielOptions(values), ...(await workspacesOf(values, streams)) };
  const name = toolOf(dialectOf(options.dialect ?? 'oriel'), command);
  if (options.dialect === undefined || options.dialect === 'oriel') {
    // No validation: inputs of a command match the schema of the default dialect, and loading zod takes 35 ms.
    const oriel = assemble(options);
    const tool = oriel.tool(name);
    return { run: (input, run) => oriel.run(tool, input, run), session: oriel.session };
  }
  const { createOriel } = await import('../../oriel.ts');
  const oriel = createOriel(options);
  return { run: (input, run) => oriel.tool(name).run(input, run), session: oriel.session };
}

function toolOf(dialect: Dialect, command: ToolCommand): string {
  const name = nameIn(dialect, command);
  if (name !== undefined) return name;
  const others = dialectNames.filter((other) => nameIn(dialectOf(other), command) !== undefined);
  throw new OrielError(
    'BAD_INPUT',
    `The dialect ${dialect.name} has no tool for oriel ${command}; ${others.join(', ')} have one. ` +
      `Use ${`oriel ${command} --dialect ${others[0]} ${TOOLS[command].example}`.trimEnd()}.`,
  );
}

function nameIn({ tools }: Dialect, command: ToolCommand): string | undefined {
  const names: readonly string[] = TOOLS[command].names;
  return tools.find(({ name }) => names.includes(name))?.name;
}
