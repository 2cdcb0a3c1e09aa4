/** The scheme `agent://ID`: outputs of other agents in the directory that the host names, and parts of JSON outputs. */

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, OrielError } from '../../errors.ts';
import { sha256Of } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { binarySize, plural } from '../../render/display.ts';
import { everything, isSelector } from '../../selector/selection.ts';
import { keepOutput } from '../../session/snapshots.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import { decode, detectEncoding, HEAD_BYTES } from '../../text/encoding.ts';
import { decodeUri, makeVisible, oneLine, quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call, Resource } from '../../types/call.ts';
import { layOutJson } from '../data/json-layout.ts';
import { parseDataPath, ValueFinder } from '../data/json-scan.ts';
import { inDirectory, type NamedDirectory, openNamed } from './named-files.ts';
import {
  byName,
  type ListedName,
  listNames,
  longestNamed,
  type NameList,
  notNamed,
  type UrlScheme,
} from './names.ts';

/** The most outputs that are listed, and found by their ID. */
const MAX_LISTED_OUTPUTS = 20_000;

/** The most bytes of an output from which a part is extracted, because parsing JSON blocks the event loop. */
const MAX_AGENT_JSON_BYTES = 1 << 20;

/** The most levels of JSON that are printed with indentation. */
const MAX_INDENTED_LEVELS = 8;

const unnamed = ({ settings: { operator } }: Call): string =>
  `no directory of outputs is named. The operator of oriel can name it ${operator.agentOutputs}; until then, read an output by the path of its file`;

export const agentScheme: UrlScheme = {
  name: 'agent',
  isOn: ({ agentOutputs }) => agentOutputs !== undefined,
  async open(rest, call) {
    const access = call.settings.agentOutputs;
    if (access === undefined) {
      if (rest === '') return listNames('agent', rest, { names: [], more: false }, unnamed(call));
      throw new OrielError('UNSUPPORTED', `${quote(`agent://${rest}`)} does not exist: ${unnamed(call)}.`);
    }
    const place: NamedDirectory = { access, directory: access.cwd };
    const { outputs, names } = await outputsIn(place, call);
    if (rest === '' || rest.startsWith(':')) {
      return listNames('agent', rest, names, `no outputs in ${access.cwd}`);
    }
    const id = longestNamed(rest, [...outputs.keys()], '/:?') ?? /^[^/?:]*/.exec(rest)?.[0] ?? '';
    const part = rest.slice(id.length);
    const file = outputs.get(id);
    if (file === undefined) throw notNamed('agent', rest, names);
    if (/^(\/.|\?)/.test(part)) return partOf(place, file, { id, part }, call);
    const opened = await openNamed('agent', `${id}${part.replace(/^\//, '')}`, [place], call, (name) =>
      name === id ? [file] : [],
    );
    if (opened) return opened;
    throw notNamed('agent', rest, names);
  },
};

/** Outputs by ID: the first of the files `ID` and `ID.*`. */
async function outputsIn(
  place: NamedDirectory,
  call: Call,
): Promise<{ outputs: ReadonlyMap<string, string>; names: NameList }> {
  const outputs = new Map<string, string>();
  const more = await inDirectory(place, call, async (directory) => {
    const listed = await directory.list(MAX_LISTED_OUTPUTS, call.signal);
    const files = listed.entries.filter(({ type, name }) => type === 'file' && !name.startsWith('.'));
    for (const { name } of files.sort(byName)) {
      const id = name.replace(/\.[^.]*$/, '');
      if (!outputs.has(id)) outputs.set(id, name);
    }
    return listed.more;
  });
  const names = [...outputs.keys()].map((name): ListedName => ({ name }));
  return { outputs, names: { names, more: more === true } };
}

/** A part of an output: `agent://ID/findings/0/title` or `agent://ID?q=.findings[0].title`. */
async function partOf(
  { access, directory }: NamedDirectory,
  file: string,
  { id, part }: { readonly id: string; readonly part: string },
  call: Call,
): Promise<Resource> {
  if (isSelector(part.slice(part.lastIndexOf(':') + 1)) && part.includes(':')) {
    const why = 'Cannot combine query extraction with offset/limit. A part of an output takes no selector.';
    throw refused('BAD_SELECTOR', why, nameableUrl(`agent://${id}${part.slice(0, part.lastIndexOf(':'))}`));
  }
  const opened = await access.open(join(directory, file), call.signal);
  call.onEnd(() => opened.close());
  const whole = nameableUrl(`agent://${id}`);
  if (opened.kind !== 'file' || opened.size > MAX_AGENT_JSON_BYTES) {
    const why = `${quote(whole)} has more than ${binarySize(MAX_AGENT_JSON_BYTES)}: no part of it is extracted.`;
    throw refused('LIMIT', why, whole);
  }
  const stored = await readAt(opened.bytes, 0, opened.size, call.signal);
  const encoding = detectEncoding(stored.subarray(0, HEAD_BYTES));
  const { text: json, invalid } = decode(stored.subarray(encoding.bom), encoding);
  const steps = stepsOf(part);
  const value = extractValue(jsonOf(json, whole), steps, `agent://${id}`);
  const source = typeof value === 'string' ? '' : await jsonPart(json, steps, call.signal);
  if (source === undefined) {
    throw refused('LIMIT', 'No part of an output that is nested too deep is shown.', whole);
  }
  const text = typeof value === 'string' ? value : await laidOut(source, call.signal);
  return {
    kind: 'text',
    format: 'internal',
    ...(await pageable(text, `agent://${id}${part}`, call)),
    encoding: 'utf-8',
    selection: everything,
    name: typeof value === 'string' ? 'part.txt' : 'part.json',
    display: 'plain',
    editable: false,
    facts: { path: opened.path },
    notes:
      invalid > 0
        ? [{ kind: 'said', text: `${plural(invalid, `invalid sequence`)} in ${whole} shown as U+FFFD` }]
        : undefined,
  };
}

/** Parts take no selector, so one that is larger than an answer, or is shown with escapes, is also kept as an artifact. */
async function pageable(
  text: string,
  typed: string,
  call: Call,
): Promise<{ readonly bytes: ByteSource; readonly target: string }> {
  const content = Buffer.from(text);
  const identity = Identity.of('agent-part', { typed, sha256: await sha256Of(content) });
  const bytes = memoryBytes(content, identity);
  const isShort = content.length <= call.limits.bytes && text.split('\n').length <= call.limits.lines;
  // A text with escapes needs a call that can return it unchanged.
  if (isShort && makeVisible(text).escaped === 0) return { bytes, target: typed };
  const { url } = await keepOutput(content, identity, call.session.spills);
  return { bytes, target: url };
}

/** The most characters that are formatted in this process, which takes 5 ms. */
const MAX_LOCAL_CHARACTERS = 32 << 10;

/** JSON with indentation, and every number as it is written. */
async function laidOut(source: string, signal: AbortSignal): Promise<string> {
  if (source.length <= MAX_LOCAL_CHARACTERS) {
    const text = layOutJson(source, {
      depth: MAX_INDENTED_LEVELS,
      most: Number.POSITIVE_INFINITY,
      cut: false,
    });
    return text === undefined || text === 'tooLong' ? `${source}\n` : text;
  }
  const { convert, convertedText } = await import('../web/convert.ts');
  const made = await convert({ kind: 'json', url: '', cut: false, feed: false }, source, signal);
  return made?.reply.kind === 'text' ? convertedText(made) : `${source}\n`;
}

/** Those of `/findings/0/title` or `?q=.findings[0].title`. */
function stepsOf(part: string): readonly string[] {
  // Steps may be percent-encoded.
  if (part.startsWith('/')) return part.split('/').filter(Boolean).map(decodeUri);
  const query = /^\?q=(.*)$/s.exec(part)?.[1];
  if (query !== undefined) return stepsOfQuery(query);
  throw new OrielError('BAD_SELECTOR', `${quote(part)} is not a query. Use ?q=.field[0].name.`);
}

function jsonOf(text: string, whole: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = `${quote(whole)} is not valid JSON, so no part of it can be named.`;
    throw refused('CORRUPT', why, whole, cause);
  }
}

const MAX_NAMED_KEYS = 10;

/** Parses `.findings[0].title` or `findings[0]["a key"]`. Throws `BAD_QUERY`. */
function stepsOfQuery(query: string): string[] {
  const typed = decodeUri(query);
  const steps = parseDataPath(typed.replace(/^\./, ''));
  if (steps) return steps.map(String);
  throw new OrielError(
    'BAD_QUERY',
    `${quote(typed)} is not a query. Use keys and indexes: ?q=.field[0].name.`,
  );
}

/** The value at `steps`; `whole` is the URL of the output, for errors. Throws `NOT_FOUND`, which names the existing keys. */
function extractValue(value: unknown, steps: readonly string[], whole: string): unknown {
  let at = value;
  for (const [i, step] of steps.entries()) {
    if (has(at, step)) {
      at = at[step];
      continue;
    }
    const front = nameableUrl(
      `${whole}${steps
        .slice(0, i)
        .map((done) => `/${encodeURIComponent(done)}`)
        .join('')}`,
    );
    throw refused('NOT_FOUND', `${quote(step)} is not in ${front}, ${shapeOf(at)}.`, front);
  }
  return at;
}

function refused(code: ErrorCode, why: string, next: string, cause?: unknown): OrielError {
  return new OrielError(code, `${why} Use ${next}.`, { next, cause });
}

/** The URL if a message can contain it, otherwise that of the list. */
function nameableUrl(url: string): string {
  return oneLine(url) === url && url.length <= 200 ? url : 'agent://';
}

function has(value: unknown, step: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
  return !Array.isArray(value) || step !== 'length';
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `which has ${value.length} items`;
  if (typeof value !== 'object' || value === null) return 'which has no parts';
  const keys = Object.keys(value);
  if (keys.length === 0) return 'which is empty';
  return `which has ${keys.slice(0, MAX_NAMED_KEYS).map(quote).join(', ')}${keys.length > MAX_NAMED_KEYS ? ', …' : ''}`;
}

/** Bytes that are scanned before the event loop gets control again. */
const AT_ONCE = 64 << 10;

/** Undefined if it is not found, or the text is nested too deep. */
export async function jsonPart(
  text: string,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = Buffer.from(text);
  const finder = new ValueFinder(steps);
  try {
    for (let at = 0; at < bytes.length; at += AT_ONCE) {
      finder.scanner.push(bytes.subarray(at, at + AT_ONCE));
      await setImmediate();
      signal.throwIfAborted();
    }
    finder.scanner.end();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return finder.found && bytes.toString('utf8', finder.found.start, finder.found.end);
}
