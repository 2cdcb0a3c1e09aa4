/** Reads rows of a data file: the query and the layout are those of databases, the rows come from the file itself. */

import { isOrielError } from '../../errors.ts';
import { plural } from '../../render/display.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, SourceSubject, TextResource } from '../../types/call.ts';
import { sentenceNotice } from '../sqlite/notices.ts';
import { ask, worded } from '../sqlite/open.ts';
import { type SqliteAnswer, SqliteRefusal } from '../sqlite/protocol.ts';
import { compose } from '../sqlite/render.ts';
import { parseSqliteSelector } from '../sqlite/select.ts';
import { dataQuery } from './detect.ts';
import type { DataFacts, DataFinding } from './records.ts';

/** The name of the table in `?q=`. */
const TABLE = 'data';

export async function openData(subject: SourceSubject, call: Call): Promise<TextResource> {
  const { opened, rest } = subject;
  const asked = dataQuery(subject.name, rest);
  if (opened.kind !== 'file' || !asked) throw new TypeError('claimed a subject that is no query of data');
  const typed = asked.place === '' ? subject.typed : `${subject.typed}:${asked.place}`;
  const refused = { typed, rest: asked.query };
  try {
    refuseUtf16(subject.head);
    const parsed = parseSqliteSelector(
      /^\?(?:limit=\d+&|offset=\d+&)*q=/.test(asked.query) ? asked.query : TABLE + asked.query,
    );
    const { limits } = call;
    const reply = await ask(opened, { ask: parsed.ask, room: limits.bytes, data: asked.form }, call);
    if (reply.kind === 'error') throw new SqliteRefusal(reply.code, reply.message, reply.rest);
    const resource = compose(reply, parsed, typed, limits);
    const notes = [...factNotes(reply, subject.typed), ...(resource.notes ?? [])];
    return {
      ...resource,
      format: 'data',
      target: resource.target.replace(`${typed}:${TABLE}?`, `${typed}?`),
      notes,
    };
  } catch (error) {
    if (isOrielError(error) && error.code === 'TIMEOUT')
      throw worded(new SqliteRefusal('TIMEOUT', TOO_LARGE), refused, error);
    if (error instanceof SqliteRefusal) throw worded(error, refused, error);
    throw error;
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

/** "2 rows have more or fewer cells than there are columns". */
const DATA_WORDS: Readonly<Record<DataFinding, readonly [one: string, many: string]>> = {
  ragged: [
    'row has more or fewer cells than there are columns',
    'rows have more or fewer cells than there are columns',
  ],
  broken: ['line is not JSON and was left out', 'lines are not JSON and were left out'],
  unlike: [
    'row is no object: where json … finds its text',
    'rows are no objects: where json … finds their text',
  ],
  oversized: ['row is over 4 MiB and was left out', 'rows are over 4 MiB and were left out'],
  unclosed: ['row has a quote that is not closed', 'rows have a quote that is not closed'],
  repeated: [
    'row has a key twice, of which the last is shown',
    'rows have a key twice, of which the last is shown',
  ],
  further: [
    'row has a key that is no column: json holds it',
    'rows have keys that are no columns: json holds them',
  ],
};

function factNotes(reply: SqliteAnswer, typed: string): Notice[] {
  const { data } = reply as { readonly data?: DataFacts | undefined };
  if (!data) return [];
  const { read, separator, hasHeader, damage, found } = data;
  const notes: Notice[] = [];
  if (separator !== undefined && separator !== ',' && separator !== '\t')
    notes.push(sentenceNotice(`The separator is ${quote(separator)}`));
  if (hasHeader === false)
    notes.push(sentenceNotice('There is no header: columns are "column 1", "column 2", …'));
  for (const [what, { count, start, bytes }] of Object.entries(found)) {
    const use = `${typed}:@${start}+${bytes}`;
    const words = DATA_WORDS[what as DataFinding][count === 1 ? 0 : 1];
    const which = count === 1 ? 'it' : 'the first';
    notes.push(
      sentenceNotice(`Of ${plural(read, 'row')} read, ${count} ${words}. Use ${use} for ${which}`, use),
    );
  }
  if (damage) {
    const use = `${typed}:@${Math.max(0, damage.offset - 200)}+400`;
    const what = `The rows end at byte ${damage.offset}, where the text is no JSON: ${damage.why}`;
    notes.push(sentenceNotice(`${what}. Use ${use} for that place`, use));
  }
  return notes;
}
