/** The `coder` dialect: a line reader that refuses what exceeds its limits, for a chat and for a named workspace. */

import {
  type CallableTool,
  type Dialect,
  reads,
  type SchemaKit,
  tool,
  type ToolSpec,
} from '../call/dialect.ts';
import type { CallOrder } from '../call/open-call.ts';
import { type ErrorCode, OrielError } from '../errors.ts';
import { isTypedAbsolute } from '../files/paths.ts';
import { textFacts } from '../render/answers.ts';
import { plain } from '../render/display.ts';
import { textAnswer } from '../render/notices.ts';
import { countEscaped } from '../render/read-notices.ts';
import { baseLimits, KIB } from '../text/limits.ts';
import { oneLine, quote, safeJson } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Limits, Line, LineDisplay, TextPolicy } from '../types/excerpt.ts';
import type { LinesRequest } from '../types/request.ts';
import type { LinesResult, ListResult, TextResult } from '../types/result.ts';
import type { ChangedContent, FileLines } from '../types/settings.ts';

// The line reader of the `coder` tools and of the HTTP route `/read-file-lines`: numbered lines in JSON fields. It refuses
// what exceeds the limits and says how to continue, instead of truncating.

interface FileLinesLimits {
  /** Maximum bytes of a file that is read without `offset` and `limit`. */
  readonly fileSize: number;
  /** Maximum bytes of a line, without number and terminator; a longer one is cut and marked. */
  readonly lineBytes: number;
  readonly responseLines: number;
  /** Maximum bytes of `content`, with numbers, markers and newlines. */
  readonly responseBytes: number;
}

export const fileLinesLimits: FileLinesLimits = {
  fileSize: KIB * KIB,
  lineBytes: KIB,
  responseLines: 2000,
  responseBytes: 32 * KIB,
};

interface FileLinesInput {
  /** Absolute. */
  readonly path: string;
  /** 1-based; 0 or absent for the first line. */
  readonly offset?: number | undefined;
  /** Number of lines; 0 or absent for as many as fit into an answer. */
  readonly limit?: number | undefined;
}

/** The request. Throws `BAD_PATH` for a path that is not absolute. */
export function fileLinesOrder(
  input: FileLinesInput,
  limits: FileLinesLimits,
  base: Limits = baseLimits,
): CallOrder<LinesRequest> {
  if (input.path === '') throw new OrielError('BAD_PATH', 'path is required');
  if (!isTypedAbsolute(input.path)) {
    const shown = quote(input.path).replaceAll('"', '\\"');
    throw new OrielError('BAD_PATH', `file path must be absolute: "${shown}"`);
  }
  const from = firstOf(input);
  const wantsAll = from === 1 && !input.limit;
  return {
    request: {
      kind: 'lines',
      path: input.path,
      range: {
        from,
        to: Math.min(from + (input.limit || limits.responseLines) - 1, Number.MAX_SAFE_INTEGER),
      },
      wholeUpTo: wantsAll ? limits.fileSize : undefined,
    },
    limits: {
      ...base,
      lines: limits.responseLines,
      bytes: limits.responseBytes,
      line: limits.lineBytes,
      countBytes: Number.POSITIVE_INFINITY,
    },
    policy: policyFrom(from, limits.lineBytes),
  };
}

function firstOf({ offset }: FileLinesInput): number {
  return Math.max(offset ?? 1, 1);
}

const MARKER = '... [truncated]';

/** `12\tcontent` */
const tabbed: LineDisplay = {
  show(line) {
    const text = plain.show(line);
    const ended = text.endsWith('\n');
    const content = ended ? text.slice(0, -1) : text;
    if (line.cut !== 'clip') return `${line.no}\t${content}`;
    return `${line.no}\t${content.replace(/\r$/, '')}${MARKER}`;
  },
  text: plain.text,
};

function policyFrom(first: number, lineBytes: number): TextPolicy {
  return {
    overflow: 'refuse',
    longLine: { kind: 'clip', at: lineBytes, unit: 'byte' },
    display: tabbed,
    cost: (line: Line) => tabbedBytes(line) + (line.no === first ? 0 : '\n'.length),
  };
}

function tabbedBytes(line: Line): number {
  const { no, text, ascii, cut } = line;
  if (!ascii || cut) return Buffer.byteLength(tabbed.show(line));
  return String(no).length + '\t'.length + text.length - (text.endsWith('\n') ? 1 : 0);
}

/** The fields for a result. Throws OrielError for a result without lines; `fileLinesError` has the message. */
function fileLines(found: LinesResult, input: FileLinesInput): FileLines {
  switch (found.kind) {
    case 'workspace':
      if (found.lines.success) return found.lines;
      throw new OrielError(codeOfWords(found.lines.error), found.lines.error);
    case 'text':
      return linesOf(found, firstOf(input));
    case 'binary': {
      const type = `${found.type}${found.bytes === undefined ? '' : `, ${found.bytes} bytes`}`;
      const message = `not a text file: ${quote(input.path)} (${type}). Use xxd or file to look at it.`;
      throw new OrielError('UNSUPPORTED', message);
    }
    case 'too-large':
      throw new OrielError(
        'LIMIT',
        `file is ${found.bytes} bytes which exceeds the maximum of ${found.most} bytes. Use grep, sed, or awk to extract the content you need, or use offset and limit to read a portion.`,
      );
    default:
      throw new OrielError('NOT_REGULAR', `not a file: ${quote(input.path)}`);
  }
}

function linesOf(result: TextResult, offset: number): FileLines {
  const { excerpt, limits } = result;
  const { totals, refusedBy } = excerpt;
  const total = totals.lines ?? 0;
  if (refusedBy) {
    const most = refusedBy === 'lines' || refusedBy === 'tokens' ? refusedBy : 'bytes';
    throw new OrielError(
      'LIMIT',
      `output would exceed ${limits[most]} ${most}. Read less at a time using offset and limit parameters.`,
    );
  }
  if (excerpt.pastEnd && offset > 1) {
    throw new OrielError('OUT_OF_RANGE', `offset ${offset} is beyond the file length of ${total} lines`);
  }
  const lines = excerpt.parts.flatMap((part) => part.map((line) => tabbed.show(line)));
  return {
    success: true,
    file_size: totals.bytes ?? 0,
    total_lines: total,
    lines_read: lines.length,
    content: lines.join('\n'),
    error: '',
    ...changedIn(result),
  };
}

function changedIn({ excerpt, encoding }: TextResult): ChangedContent {
  const escaped = countEscaped(excerpt);
  return {
    escaped_characters: escaped > 0 ? escaped : undefined,
    invalid_sequences: excerpt.invalid > 0 ? excerpt.invalid : undefined,
    byte_order_mark: encoding.bom > 0 || undefined,
    encoding: encoding.name !== 'utf-8' ? encoding.name : undefined,
    encoding_guessed: encoding.known === 'guessed' ? (true as const) : undefined,
  };
}

/** The error code for the message of a remote workspace, which has the same messages. */
function codeOfWords(words: string): ErrorCode {
  const known = Object.entries(SENTENCES).find(([, sentence]) => words.startsWith(`${sentence}: `));
  if (known) return known[0] as ErrorCode;
  if (/ is private b(?:y the rule|ecause) /.test(words)) return 'PRIVATE';
  return words.startsWith('offset ') ? 'OUT_OF_RANGE' : 'LIMIT';
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: 'file does not exist',
  NOT_DIRECTORY: 'file does not exist',
  DENIED: 'permission denied',
  OUTSIDE_ROOT: 'permission denied',
  IS_DIRECTORY: 'not a file',
  NOT_REGULAR: 'not a file',
};

/** The error with the message of this reader. */
function fileLinesError(error: OrielError, path: string): OrielError {
  const words = SENTENCES[error.code];
  return words === undefined
    ? error
    : new OrielError(error.code, `${words}: ${quote(path)}`, { cause: error });
}

/** An operation that returns the fields themselves, for a face that answers with JSON. */
export function readFileLines(input: FileLinesInput, limits: FileLinesLimits): CallableTool<FileLines> {
  return {
    name: 'read-file-lines',
    prepare: () => ({
      ...fileLinesOrder(input, limits),
      answer: (result: LinesResult) => fileLines(result, input),
    }),
    failure(error) {
      const { message } = fileLinesError(error, input.path);
      return { success: false, file_size: 0, total_lines: 0, lines_read: 0, content: '', error: message };
    },
  };
}

const limits: Limits = {
  ...baseLimits,
  unit: 'bytes',
  lines: fileLinesLimits.responseLines,
  bytes: fileLinesLimits.responseBytes,
  line: fileLinesLimits.lineBytes,
  countBytes: Number.POSITIVE_INFINITY,
};

/** The workspace name that stands for this machine. */
const LOCAL = 'local';

const NEGATIVE = 'value is negative';

const fields = (zod: SchemaKit) => ({
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

function about(dialectLimits: Limits, also = ''): string {
  const { fileSize, lineBytes, responseLines, responseBytes } = limitsOf(dialectLimits);
  return (
    `Reads lines of a text file; use it rather than cat or sed. Answers JSON: content with each line as number, tab, text; file_size; total_lines; lines_read. ` +
    `Limits: files over ${fileSize} bytes need a limit, or an offset over 1; at most ${responseLines} lines and ${responseBytes} bytes ` +
    `of content, over which the call fails and says so; a line over ${lineBytes} bytes ends in ... [truncated]. ` +
    `For a long file read a portion at a time (e.g. limit 500): the next offset is offset + lines_read, until it is over total_lines.${also}`
  );
}

/** What both tools share. */
const common: Pick<
  ToolSpec<FileLinesInput, LinesRequest>,
  'limits' | 'request' | 'policy' | 'answer' | 'failure'
> = {
  // Its fields require counted lines, so the host's `countBytes` does not apply.
  limits: (_, dialectLimits) => ({ ...dialectLimits, countBytes: limits.countBytes }),
  request: (input, dialectLimits) => fileLinesOrder(input, limitsOf(dialectLimits)).request,
  policy: (input, dialectLimits) => fileLinesOrder(input, limitsOf(dialectLimits)).policy,
  answer: (result, input, dialectLimits) => {
    if (result.kind === 'entries') return entriesAnswer(result, input, dialectLimits);
    const { success: _, error: __, content, ...facts } = fileLines(result, input);
    const details = { ...(result.kind === 'text' && textFacts(result)), ...facts };
    return textAnswer(safeJson({ content, ...facts }), details);
  },
  failure: (error, input) => failure(input ? fileLinesError(error, input.path) : error),
};

const readFile = tool<FileLinesInput, LinesRequest>({
  name: 'read_file',
  title: 'Read file',
  example: { path: '/home/me/project/src/app.ts', offset: 50, limit: 100 },
  effects: reads,
  about: (dialectLimits) =>
    about(
      dialectLimits,
      ' Of a directory: its entries, entries_read of total_entries, from entry offset on.',
    ),
  input: (zod) => zod.strictObject(fields(zod)),
  ...common,
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
  about: (dialectLimits) => about(dialectLimits),
  input: (zod) =>
    zod.strictObject({
      workspace: zod
        .string()
        .describe(`The workspace to read in: its name, owner/name, or ${LOCAL} for this machine`),
      ...fields(zod),
    }),
  ...common,
  request(input, dialectLimits) {
    const { request } = fileLinesOrder(input, limitsOf(dialectLimits));
    return input.workspace === LOCAL ? request : { ...request, on: input.workspace };
  },
});

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

export function coder(): Dialect {
  return {
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
}
