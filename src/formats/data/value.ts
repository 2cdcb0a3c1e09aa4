/** Shows a value by its path: of JSON exactly as it is written, of YAML, TOML and rows as JSON: `x.json:#a.b[3].c`. */

import { OrielError } from '../../errors.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { chunksOf, sliceBytes } from '../../text/bytes.ts';
import { quote } from '../../text/visible.ts';
import type { Call, Resource, SourceSubject } from '../../types/call.ts';
import { sentenceNotice } from '../sqlite/notices.ts';
import { ask, wordedFailure } from '../sqlite/open.ts';
import { SqliteRefusal } from '../sqlite/protocol.ts';
import { textResource } from '../sqlite/render.ts';
import { fileSource } from '../text/open.ts';
import { dataPlace } from './detect.ts';
import { JsonError, ValueFinder } from './json-scan.ts';
import { factNotes, repeatedPathNote, TOO_LARGE } from './open.ts';
import { CHUNK_BYTES } from './record-bytes.ts';

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
  const notes = [];
  if (count > 1) notes.push(repeatedPathNote(count));
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
