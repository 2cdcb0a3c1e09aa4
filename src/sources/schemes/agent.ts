/** The scheme `agent://ID`: outputs of other agents in the directory that the host names, and parts of JSON outputs. */

import { join } from 'node:path';
import { memoryBytes, readAt } from '../../access/bytes.ts';
import { sha256Of } from '../../access/digest.ts';
import { OrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { everything, isSelector } from '../../selector/selection.ts';
import { binarySize, plural } from '../../render/units.ts';
import { decode, detectEncoding, HEAD_BYTES } from '../../text/encoding.ts';
import { makeVisible, quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import { keepOutput } from '../../session/kept-output.ts';
import { layOut } from '../web/child/json-lines.ts';
import { extract, nameable, stepsOfPath, stepsOfQuery } from './extract-value.ts';
import { jsonPart } from './json-part.ts';
import { byName, listOf, longestNamed, type Named, type Names, notNamed } from './name-lists.ts';
import { inDirectory, openListed, openNamed, type Place } from './named-files.ts';
import type { Scheme } from './scheme.ts';

/** The most outputs that are listed. Others are still found by their ID if they have one of these extensions. */
const MOST_OUTPUTS = 20_000;
const ENDINGS = ['', '.json', '.md', '.txt'];

/** The most bytes of an output from which a part is extracted, because parsing JSON blocks the event loop. */
const MOST_JSON = 1 << 20;

/** The most levels of JSON that are printed with indentation, and that are printed at all. */
const MOST_INDENTED = 8;
const MOST_NESTED = 1_000;

/** The message if the host names no directory. */
const unnamed = ({ settings: { operator } }: Call): string =>
  `no directory of outputs is named. The operator of oriel can name it ${operator.agentOutputs}; until then, read an output by the path of its file`;

export const agentScheme: Scheme = {
  name: 'agent',
  isOn: ({ agentOutputs }) => agentOutputs !== undefined,
  async open(rest, call) {
    const access = call.settings.agentOutputs;
    if (access === undefined) {
      if (rest === '') return listOf('agent', rest, { names: [], more: false }, unnamed(call));
      throw new OrielError('UNSUPPORTED', `${quote(`agent://${rest}`)} does not exist: ${unnamed(call)}.`);
    }
    const place: Place = { access, directory: access.cwd };
    const { outputs, names } = await outputsIn(place, call);
    if (rest === '' || rest.startsWith(':')) {
      return listOf('agent', rest, names, `no outputs in ${access.cwd}`);
    }
    const id = longestNamed(rest, [...outputs.keys()], '/:?') ?? /^[^/?:]*/.exec(rest)?.[0] ?? '';
    const part = rest.slice(id.length);
    const file = outputs.get(id) ?? (names.more ? await unlisted(place, id, call) : undefined);
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
  place: Place,
  call: Call,
): Promise<{ outputs: ReadonlyMap<string, string>; names: Names }> {
  const outputs = new Map<string, string>();
  const more = await inDirectory(place, call, async (directory) => {
    const listed = await directory.list(MOST_OUTPUTS, call.signal);
    const files = listed.entries.filter(({ type, name }) => type === 'file' && !name.startsWith('.'));
    for (const { name } of files.sort(byName)) {
      const id = name.replace(/\.[^.]*$/, '');
      if (!outputs.has(id)) outputs.set(id, name);
    }
    return listed.more;
  });
  const names = [...outputs.keys()].map((name): Named => ({ name }));
  return { outputs, names: { names, more: more === true } };
}

/** The file of an output that is not in the list, because there are too many. */
async function unlisted(place: Place, id: string, call: Call): Promise<string | undefined> {
  if (id.startsWith('.')) return undefined;
  for (const ending of ENDINGS) {
    const opened = await openListed(place, id + ending, call);
    await opened?.close();
    if (opened?.is === 'file') return id + ending;
  }
  return undefined;
}

/** A part of an output: `agent://ID/findings/0/title` or `agent://ID?q=.findings[0].title`. */
async function partOf(
  { access, directory }: Place,
  file: string,
  { id, part }: { readonly id: string; readonly part: string },
  call: Call,
): Promise<Resource> {
  if (isSelector(part.slice(part.lastIndexOf(':') + 1)) && part.includes(':')) {
    const whole = nameable(`agent://${id}${part.slice(0, part.lastIndexOf(':'))}`);
    throw new OrielError(
      'BAD_SELECTOR',
      `Cannot combine query extraction with offset/limit. A part of an output takes no selector. Use ${whole}.`,
      { next: whole },
    );
  }
  const opened = await access.open(join(directory, file), call.signal);
  call.onEnd(() => opened.close());
  const whole = nameable(`agent://${id}`);
  if (opened.is !== 'file' || opened.size > MOST_JSON) {
    throw new OrielError(
      'LIMIT',
      `${quote(whole)} has more than ${binarySize(MOST_JSON)}: no part of it is extracted. Use ${whole}.`,
      { next: whole },
    );
  }
  const stored = await readAt(opened.bytes, 0, opened.size, call.signal);
  const encoding = detectEncoding(stored.subarray(0, HEAD_BYTES));
  const { text: json, invalid } = decode(stored.subarray(encoding.bom), encoding);
  const steps = stepsOf(part);
  const value = extract(jsonOf(json, whole), steps, `agent://${id}`);
  const text =
    typeof value === 'string' ? value : printed(value, whole, await jsonPart(json, steps, call.signal));
  return {
    is: 'text',
    kind: 'internal',
    ...(await pageable(text, `agent://${id}${part}`, call)),
    encoding: 'utf-8',
    selection: everything,
    name: typeof value === 'string' ? 'part.txt' : 'part.json',
    display: 'plain',
    editable: false,
    facts: { path: opened.path },
    ...(invalid > 0 && {
      notes: [{ kind: 'said', text: `${plural(invalid, `invalid sequence`)} in ${whole} shown as U+FFFD` }],
    }),
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

/**
 * Prints a value as JSON, indented if it is not nested too deep (indentation grows with each level), with numbers as
 * written in `source`. Throws `LIMIT` if it is nested too deep to print.
 */
function printed(value: unknown, whole: string, source: string | undefined): string {
  const depth = depthOf(value);
  if (depth > MOST_NESTED) {
    const message = `A part that is nested more than ${MOST_NESTED} levels deep is not shown. Use ${whole}.`;
    throw new OrielError('LIMIT', message, { next: whole });
  }
  const written = source === undefined ? undefined : asWritten(source);
  return written ?? `${JSON.stringify(value, undefined, depth > MOST_INDENTED ? 0 : 2)}\n`;
}

/** The most characters that are formatted from the source text, which takes 5 ms. */
const MOST_LAID_OUT = 32 << 10;

/** Numbers that `JSON.parse` may round. */
const LONG_NUMBER = /\d{16}|\.\d{16}|[eE][+-]?\d{3}/;

/** The source formatted without parsing numbers; undefined if parsing gives the same and is faster. */
function asWritten(source: string): string | undefined {
  if (source.length > MOST_LAID_OUT) return LONG_NUMBER.test(source) ? `${source}\n` : undefined;
  const laidOut = layOut(source, { depth: MOST_INDENTED, most: Number.POSITIVE_INFINITY, cut: false });
  return laidOut === 'tooLong' ? undefined : laidOut;
}

/** The nesting depth, counted up to `MOST_NESTED`. */
function depthOf(value: unknown): number {
  let [level, depth] = [[value], 0];
  while (depth <= MOST_NESTED) {
    const inner = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (inner.length === 0) return depth;
    [level, depth] = [inner, depth + 1];
  }
  return depth;
}

function stepsOf(part: string): readonly string[] {
  if (part.startsWith('/')) return stepsOfPath(part);
  const query = /^\?q=(.*)$/s.exec(part)?.[1];
  if (query !== undefined) return stepsOfQuery(query);
  throw new OrielError('BAD_SELECTOR', `${quote(part)} is not a query. Use ?q=.field[0].name.`);
}

function jsonOf(text: string, whole: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OrielError(
      'CORRUPT',
      `${quote(whole)} is not valid JSON, so no part of it can be named. Use ${whole}.`,
      { next: whole, cause },
    );
  }
}
