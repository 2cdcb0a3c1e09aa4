/** The `coder` dialect: a line reader that refuses what exceeds its limits, for a chat and for a named workspace. */

import { OrielError } from '../errors.ts';
import { baseLimits } from '../limits.ts';
import { textAnswer } from '../render/answer.ts';
import { textFacts } from '../render/read-answer.ts';
import { safeJson } from '../text/json.ts';
import { oneLine } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits } from '../types/limits.ts';
import type { LinesRequest } from '../types/request.ts';
import type { ListResult } from '../types/result.ts';
import { type Dialect, reads, tool, type ToolSpec, type Zod } from './dialect.ts';
import {
  fileLines,
  fileLinesError,
  type FileLinesInput,
  type FileLinesLimits,
  fileLinesLimits,
  fileLinesOrder,
} from './file-lines.ts';
import { linesToOffset, placeAsOffset } from './line-fields.ts';

const limits: Limits = {
  ...baseLimits,
  lines: fileLinesLimits.responseLines,
  bytes: fileLinesLimits.responseBytes,
  line: fileLinesLimits.lineBytes,
  countBytes: Number.POSITIVE_INFINITY,
};

/** The workspace name that stands for this machine. */
const LOCAL = 'local';

const NEGATIVE = 'value is negative';

const fields = (zod: Zod) => ({
  path: zod.string().describe('The absolute path of the file to read'),
  offset: zod
    .int()
    .min(0, NEGATIVE)
    .optional()
    .describe('The 1-based line number to start from (default: 1)'),
  limit: zod
    .int()
    .min(0, NEGATIVE)
    .optional()
    .describe(`The number of lines to read (default: ${fileLinesLimits.responseLines})`),
});

const about =
  (also: string) =>
  (dialectLimits: Limits): string => {
    const { fileSize, lineBytes, responseLines, responseBytes } = limitsOf(dialectLimits);
    return (
      `Reads lines of a text file; use it rather than cat or sed. Answers JSON: content with each line as number, tab, text; file_size; total_lines; lines_read. ` +
      `Limits: files over ${fileSize} bytes need a limit, or an offset over 1; at most ${responseLines} lines and ${responseBytes} bytes ` +
      `of content, over which the call fails and says so; a line over ${lineBytes} bytes ends in ... [truncated]. ` +
      `For a long file read a portion at a time (e.g. limit 500): the next offset is offset + lines_read, until it is over total_lines.${also}`
    );
  };

const readFile = tool<FileLinesInput, LinesRequest>({
  name: 'read_file',
  title: 'Read file',
  example: { path: '/home/me/project/src/app.ts', offset: 50, limit: 100 },
  effects: reads,
  about: about(' Of a directory: its entries, entries_read of total_entries, from entry offset on.'),
  input: (zod) => zod.strictObject(fields(zod)),
  ...ordered<FileLinesInput>(),
  request(input, dialectLimits) {
    const { request } = fileLinesOrder(input, limitsOf(dialectLimits));
    const { from, to = from } = request.range;
    const most = Math.min(to - from + 1, dialectLimits.lines);
    return { ...request, entries: { offset: from - 1, limit: most } };
  },
});

interface WorkspaceInput extends FileLinesInput {
  readonly workspace: string;
}

const workspaceReadFile = tool<WorkspaceInput, LinesRequest>({
  name: 'coder_workspace_read_file',
  title: 'Read file in workspace',
  example: { workspace: LOCAL, path: '/home/me/project/src/app.ts', offset: 50, limit: 100 },
  effects: reads,
  about: about(''),
  input: (zod) =>
    zod.strictObject({
      workspace: zod
        .string()
        .describe(`The workspace to read in: its name, owner/name, or ${LOCAL} for this machine`),
      ...fields(zod),
    }),
  ...ordered<WorkspaceInput>(),
  request(input, dialectLimits) {
    const { request } = fileLinesOrder(input, limitsOf(dialectLimits));
    return input.workspace === LOCAL ? request : { ...request, on: input.workspace };
  },
});

/** The functions that both tools share. */
function ordered<Input extends FileLinesInput>(): Pick<
  ToolSpec<Input, LinesRequest>,
  'adapt' | 'placed' | 'limits' | 'request' | 'policy' | 'answer' | 'failure'
> {
  return {
    // Its fields require counted lines, so the host's `countBytes` does not apply.
    limits: (_, dialectLimits) => ({ ...dialectLimits, countBytes: limits.countBytes }),
    adapt: linesToOffset,
    placed: (input, place) => placeAsOffset(input, { ...place, path: place.absolute }),
    request: (input, dialectLimits) => fileLinesOrder(input, limitsOf(dialectLimits)).request,
    policy: (input, dialectLimits) => fileLinesOrder(input, limitsOf(dialectLimits)).policy,
    answer: (result, input, limits) => {
      if (result.is === 'entries') return entriesAnswer(result, input, limits);
      const { success: _, error: __, content, ...facts } = fileLines(result, input);
      const details = { ...(result.is === 'text' && textFacts(result)), ...facts };
      return textAnswer(safeJson({ content, ...facts }), details);
    },
    failure: (error, input) => failure(input ? fileLinesError(error, input.path) : error),
  };
}

/** As many entries of a directory as fit as JSON, even when that is encoded as a JSON string again. Throws `OUT_OF_RANGE`. */
function entriesAnswer(
  { entries, total = 0, beyond, next }: ListResult,
  { offset = 1 }: FileLinesInput,
  { bytes, tokens }: Limits,
): Answer {
  if (beyond !== undefined) {
    throw new OrielError(
      'OUT_OF_RANGE',
      `offset ${offset} is beyond the directory length of ${total} entries`,
    );
  }
  const names = entries.map(({ path, mark }) => oneLine(path) + (mark === '/' ? mark : ''));
  let room = bytes;
  let counted = tokens * 4;
  const shown = names.filter((name) => {
    const written = safeJson(name);
    room -= Buffer.byteLength(written) + 1;
    counted -= Buffer.byteLength(safeJson(written)) + 1;
    return room >= 0 && counted >= 0;
  });
  const facts = {
    entries_read: shown.length,
    total_entries: total,
    truncated: next !== undefined || shown.length < names.length,
  };
  return textAnswer(safeJson({ is_directory: true, entries: shown, ...facts }), {
    kind: 'directory',
    ...facts,
  });
}

function failure({ code, message }: OrielError): Answer {
  return textAnswer(safeJson({ error: message }), { error: { code, message } }, true);
}

function limitsOf({ lines, bytes, line }: Limits): FileLinesLimits {
  return { ...fileLinesLimits, lineBytes: line, responseLines: lines, responseBytes: bytes };
}

export const coder: Dialect = {
  name: 'coder',
  limits,
  tools: [readFile, workspaceReadFile],
  answersJson: true,
  departs: [readFile, workspaceReadFile].flatMap(({ name }) => [
    { law: 1, tool: name, why: 'a line over 1,024 bytes is cut and marked, its rest cannot be read' },
    {
      law: 4,
      tool: name,
      why: 'what follows is told by lines_read and total_lines (entries_read and total_entries of a directory); over a limit no line is shown',
    },
  ]),
};
