/** Formats a reply of the worker as a text resource, with the typed selector and the next call. */

import { createHash } from 'node:crypto';
import { memoryBytes } from '../../access/bytes.ts';
import { Identity } from '../../identity.ts';
import { everything } from '../../selector/selection.ts';
import type { Limits } from '../../types/limits.ts';
import type { TextResource } from '../../types/resource.ts';
import type { Parsed } from './sqlite-ask.ts';
import { composeList } from './compose-list.ts';
import { composeRows } from './compose-rows.ts';
import { composeRow, composeSchema } from './compose-table.ts';
import { type Composed, said } from './row-notices.ts';
import type { Answered } from './sqlite-protocol.ts';

/** `typed` is the typed path of the database, with which suggested calls begin. */
export function compose(reply: Answered, parsed: Parsed, typed: string, limits: Limits): TextResource {
  const { endings, note } = parsed;
  const { body, selection } = (hasReading(reply) ? endings[reply.reading] : endings.at(-1)) ?? { body: '' };
  const { text, facts, notes, more } = composeReply(reply, parsed, typed, limits);
  const content = Buffer.from(text);
  return {
    is: 'text',
    kind: 'sqlite',
    bytes: memoryBytes(
      content,
      Identity.of('sqlite', { sha256: createHash('sha256').update(content).digest('base64') }),
    ),
    encoding: 'utf-8',
    selection: selection ?? everything,
    target: typed + (body === '' || body.startsWith('?') ? body : `:${body}`),
    name: typed,
    display: 'plain',
    editable: false,
    facts,
    notes: note === undefined ? notes : [...notes, said(note)],
    ...(more && { more }),
  };
}

function composeReply(reply: Answered, { ask }: Parsed, typed: string, limits: Limits): Composed {
  switch (reply.is) {
    case 'list':
      return composeList(reply, ask.do === 'list' ? ask.offset : 0, typed, limits);
    case 'schema':
      return composeSchema(reply, typed, limits);
    case 'row':
      return composeRow(reply);
    case 'rows':
      throw new TypeError('the rows of a search are no answer');
    case 'page':
    case 'result':
      return composeRows(reply, ask, typed, limits);
  }
}

function hasReading(reply: Answered): reply is Extract<Answered, { reading: number }> {
  return reply.is === 'schema' || reply.is === 'row';
}
