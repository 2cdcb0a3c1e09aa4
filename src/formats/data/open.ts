/**
 * Reads rows of a data file: the query and the layout are those of databases, the rows come from the file itself. A bare read
 * of a long one is its shape.
 */

import { isOrielError, OrielError } from '../../errors.ts';
import { plural } from '../../render/display.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { chunksOf, readAt, sliceBytes } from '../../text/bytes.ts';
import { decodeUri, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, Resource, SourceSubject, TextResource } from '../../types/call.ts';
import { sentenceNotice } from '../sqlite/notices.ts';
import { ask, askInPlace, wordedFailure } from '../sqlite/open.ts';
import { type SqliteAnswer, SqliteRefusal } from '../sqlite/protocol.ts';
import { compose, textResource } from '../sqlite/render.ts';
import { parseSqliteSelector } from '../sqlite/select.ts';
import { showName } from '../sqlite/stored-text.ts';
import { fileSource } from '../text/open.ts';
import { dataForm, dataPlace, dataQuery } from './detect.ts';
import { JsonError, ValueFinder } from './json-scan.ts';
import { CHUNK_BYTES } from './record-bytes.ts';
import { type ConversionFacts, DATA_WORDS, type DataFacts, type DataFinding, SIGNS } from './records.ts';

const TABLE = 'data';

export async function openData(subject: SourceSubject, call: Call): Promise<TextResource> {
  const { opened, rest } = subject;
  const asked = dataQuery(subject.name, rest);
  if (opened.kind !== 'file' || !asked) throw new TypeError('claimed a subject that is no query of data');
  const typed = asked.place === '' ? subject.typed : `${subject.typed}:${asked.place}`;
  try {
    if (asked.form.kind !== 'parquet') refuseUtf16(subject.head);
    const parsed = parseSqliteSelector(
      /^\?(?:limit=\d+&|offset=\d+&)*q=/.test(asked.query) ? asked.query : TABLE + asked.query,
    );
    const { limits } = call;
    const reply = await ask(opened, { ask: parsed.ask, room: limits.bytes, data: asked.form }, call);
    const resource = compose(reply, parsed, typed, limits);
    const notes = [...factNotes(reply, subject.typed, decodeUri(asked.query)), ...(resource.notes ?? [])];
    return {
      ...resource,
      format: 'data',
      target: resource.target.replace(`${typed}:${TABLE}?`, `${typed}?`),
      notes,
    };
  } catch (error) {
    throw wordedFailure(error, { typed, rest: asked.query }, TOO_LARGE);
  }
}

const TOO_LARGE =
  'The file is too large to be examined in the time of a call; a smaller limit without order takes less';

function refuseUtf16(head: Uint8Array): void {
  const mark = Buffer.from(head.subarray(0, 2)).toString('hex');
  if (mark === 'fffe' || mark === 'feff')
    throw new SqliteRefusal(
      'UNSUPPORTED',
      'The file is UTF-16, whose rows are not read by value; its lines are',
      '',
    );
}

// Says what was found in the file while its rows were read.

function repeatedPathNote(count: number): Notice {
  return sentenceNotice(`The path occurs ${count} times, of which the last is shown`);
}

function factNotes(reply: SqliteAnswer, typed: string, query = ''): Notice[] {
  const { data } = reply as { readonly data?: DataFacts | undefined };
  if (!data) return [];
  const { read, separator, hasHeader, damage, places, mayRepeat, found, unread, converted } = data;
  const notes: Notice[] = converted ? conversionNotes(converted, typed) : [];
  if (unread) {
    const what = `${plural(unread.rows, 'row')} ${unread.rows === 1 ? 'has' : 'have'} a value that cannot be read, shown as NULL`;
    const first = `first ${showName(unread.column, 100)} of row ${unread.row + 1}: ${showName(unread.why, 200)}`;
    notes.push(sentenceNotice(`Of ${plural(read, 'row')} read, ${what} (${first})`));
  }
  if (separator !== undefined && separator !== ',' && separator !== '\t')
    notes.push(sentenceNotice(`The separator is ${quote(separator)}`));
  if (hasHeader === false)
    notes.push(sentenceNotice('There is no header: columns are "column 1", "column 2", …'));
  notes.push(...comparisonNotes(data, query));
  for (const [finding, { count, start, bytes }] of Object.entries(found)) {
    // Of a converted text, the bytes are not those of the file.
    const use = converted ? undefined : `${typed}:@${start}+${bytes}`;
    const words = DATA_WORDS[finding as DataFinding].replace(/\{(.*?)\|(.*?)\}/g, count === 1 ? '$1' : '$2');
    const call = use === undefined ? '' : `. Use ${use} for ${count === 1 ? 'it' : 'the first'}`;
    notes.push(sentenceNotice(`Of ${plural(read, 'row')} read, ${count} ${words}${call}`, use));
  }
  if (places !== undefined) notes.push(repeatedPathNote(places));
  if (mayRepeat)
    notes.push(
      sentenceNotice('The path was not looked for in the whole file: if it occurs again, the last counts'),
    );
  if (damage) {
    const use = `${typed}:@${Math.max(0, damage.offset - 200)}+400`;
    const what = `The rows end at byte ${damage.offset}, where the text is no JSON: ${damage.why}`;
    notes.push(sentenceNotice(`${what}. Use ${use} for that place`, use));
  }
  return notes;
}

const COMPARES = /[<>]|(?<!\b(?:limit|offset))=\s*[-+]?\d|\b(?:between|order|max|min|sum|avg|total)\b/i;

/** Of the columns in the query whose texts are compared letter by letter, though they look like numbers: `10` is before `9`. */
function comparisonNotes({ nearNumbers = [] }: DataFacts, query: string): Notice[] {
  const words = (text: string): string => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, ' ')} `;
  return nearNumbers
    .filter(({ name }) => COMPARES.test(query) && words(query).includes(words(name)))
    .slice(0, 3)
    .map(({ name, unlike = '' }) => {
      const cast = SIGNS.test(unlike) ? '' : `; cast("${showName(name, 50)}" as real) is a number`;
      const what = `${quote(showName(name, 50))} holds texts such as ${quote(showName(unlike, 50))}`;
      return sentenceNotice(`${what}, which are compared as texts: '10' comes before '9'${cast}`);
    });
}

function conversionNotes({ kind, documents, damage, repeated }: ConversionFacts, typed: string): Notice[] {
  const notes: Notice[] = [];
  if (documents > 1)
    notes.push(
      sentenceNotice(`The file has ${documents} documents, which are read as a list: #[0] is the first`),
    );
  if (repeated) {
    const use = `${typed}:${repeated.line}`;
    const what = `${plural(repeated.count, 'key')} ${repeated.count === 1 ? 'is' : 'are'} repeated, of which the last counts`;
    notes.push(sentenceNotice(`${what}. Use ${use} for ${repeated.count === 1 ? 'it' : 'the first'}`, use));
  }
  if (damage) {
    const use = `${typed}:${damage.line}`;
    const what = `The ${kind.toUpperCase()} is damaged at line ${damage.line}: ${showName(damage.why, 200)}; what stands there may be missing`;
    notes.push(sentenceNotice(`${what}. Use ${use} for that place`, use));
  }
  return notes;
}

// The shape of a file: its columns with the first rows, or the keys of a JSON text.

/** The columns that are listed, and the most characters of the type of one. */
const MAX_LISTED_COLUMNS = 60;
const MAX_TYPE_CHARACTERS = 80;

/** The shape of Parquet, which has no text. */
export function openParquet(subject: SourceSubject, call: Call): Promise<TextResource> {
  const { typed, name, opened } = subject;
  if (opened.kind !== 'file') throw new TypeError('claimed a directory');
  return shapeAsText({ target: typed, name, bytes: opened.bytes }, call);
}

/** The shape of a long text that was read without a selector; undefined if it has none, or is damaged. */
export async function textShape(resource: TextResource, call: Call): Promise<TextResource | undefined> {
  if (!dataForm(resource.name)) return undefined;
  try {
    const shown = await shapeAsText(resource, call);
    const use = `${resource.target}:1..`;
    return { ...shown, notes: [...(shown.notes ?? []), sentenceNotice(`Use ${use} for the text`, use)] };
  } catch (error) {
    // It is shown as text, which says what is wrong with it.
    if (isOrielError(error) && error.code !== 'CANCELLED') return undefined;
    throw error;
  }
}

async function shapeAsText(
  { target, name, bytes }: Pick<TextResource, 'target' | 'name' | 'bytes'>,
  call: Call,
): Promise<TextResource> {
  const form = dataForm(name);
  if (!form) throw new TypeError('not a data file');
  try {
    const { limits } = call;
    const reply = await askInPlace(bytes, { ask: { kind: 'shape' }, room: limits.bytes, data: form }, call);
    const { data } = reply as { readonly data?: DataFacts | undefined };
    // Templates of YAML, JSON with comments: what could be made of them is no shape.
    const isEmpty = reply.kind === 'page' && reply.rows.rows.length === 0 && form.kind !== 'parquet';
    if (isEmpty || data?.converted?.damage)
      throw new SqliteRefusal('UNSUPPORTED', 'There are no rows, or the text is damaged', '');
    const notes = factNotes(reply, target);
    if (reply.kind === 'shape') {
      const { text, arrays, objects, isPart } = reply.shape;
      const calls = [
        ...arrays.map((path) => `${target}:#${path}?limit=20`),
        ...objects.map((path) => `${target}:#${path}`),
      ];
      if (isPart) notes.push(sentenceNotice('Only the first 8 MiB were looked at'));
      if (calls.length > 0) notes.push({ kind: 'said', text: `Read values with ${calls.join(', ')}`, calls });
      return { ...textResource(text, target, name), format: 'data', notes };
    }
    const parsed = parseSqliteSelector(`${TABLE}?limit=5`);
    const rows = compose(reply, parsed, target, limits);
    const table = Buffer.from(await readAt(rows.bytes, 0, rows.bytes.size ?? 0)).toString();
    return {
      ...textResource(`${columnLines(data?.columns ?? [])}\n${table}`, target, name),
      format: 'data',
      facts: rows.facts ?? {},
      notes: [...notes, ...(rows.notes ?? [])],
      more: rows.more,
    };
  } catch (error) {
    throw wordedFailure(error, { typed: target, rest: '' }, TOO_LARGE);
  }
}

function columnLines(columns: NonNullable<DataFacts['columns']>): string {
  const lines = columns.slice(0, MAX_LISTED_COLUMNS).map(([name, type]) => {
    const shown = type.length > MAX_TYPE_CHARACTERS ? `${type.slice(0, MAX_TYPE_CHARACTERS)}…` : type;
    return `${showName(name, 100)}: ${showName(shown, Infinity)}\n`;
  });
  const left = columns.length - lines.length;
  return lines.join('') + (left > 0 ? `… ${plural(left, 'more column')}\n` : '');
}

// Shows a value by its path: of JSON exactly as it is written, of YAML, TOML and rows as JSON: `x.json:#a.b[3].c`.

/** What the path does not find is searched as a symbol: keys may hold dots. */
export async function openValue(subject: SourceSubject, call: Call): Promise<Resource> {
  const { opened, typed } = subject;
  const asked = dataPlace(subject.name, subject.rest);
  if (opened.kind !== 'file' || !asked) throw new TypeError('claimed a subject that is no value');
  const { form, path, typed: place, selector } = asked;
  const target = `${typed}:#${place}`;
  const selection = selector === '' ? everything : parseBehind(target, selector);
  if (!selection) return fileSource.open(subject, call);
  if (form.kind !== 'json') {
    try {
      const reply = await ask(
        opened,
        { ask: { kind: 'value', path }, room: call.limits.bytes, data: form },
        call,
      );
      if (reply.kind !== 'value') throw new TypeError('a value was asked for');
      const notes = factNotes(reply, typed);
      return { ...textResource(reply.text, target, subject.name), format: 'data', selection, notes };
    } catch (error) {
      const isMissing = error instanceof SqliteRefusal && error.code === 'NOT_FOUND';
      if (isMissing && 'path' in form) return fileSource.open(subject, call);
      throw wordedFailure(error, { typed, rest: '' }, TOO_LARGE);
    }
  }
  const finder = new ValueFinder(path);
  let damage: JsonError | undefined;
  try {
    for await (const chunk of chunksOf(opened.bytes, 0, opened.size, CHUNK_BYTES, call.signal))
      finder.scanner.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    finder.scanner.end();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    damage = error;
  }
  const around = damage && `${typed}:@${Math.max(0, damage.offset - 200)}+400`;
  const why = damage && `The text is no JSON from byte ${damage.offset} on: ${damage.message}`;
  const { found: last, count } = finder;
  if (!last) {
    if (!why || !around) return fileSource.open(subject, call);
    const message = `${why}. ${quote(place)} was not found before. Use ${quote(around)} for that place.`;
    throw new OrielError('CORRUPT', message, { next: around, cause: damage });
  }
  const notes = count > 1 ? [repeatedPathNote(count)] : [];
  if (why && around) notes.push(sentenceNotice(`${why}. Use ${around} for that place`, around));
  return {
    kind: 'text',
    format: 'data',
    bytes: sliceBytes(opened.bytes, last.start, last.end - last.start),
    encoding: 'utf-8',
    selection,
    target,
    name: subject.name,
    display: 'plain',
    editable: false,
    notes,
  };
}
