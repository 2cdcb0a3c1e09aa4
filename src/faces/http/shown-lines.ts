/** `GET /api/v0/shown-lines`: the lines that a client was shown under a hashline tag, by any replica. */

import * as z from 'zod';
import { count } from './request-input.ts';
import { reading } from './reading.ts';
import { type Route, route, type Served } from './route.ts';

/** Maximum lines of a response, and their characters. */
const MOST_LINES = 1_000;
const MOST_CHARACTERS: number = 1 << 20;

const query = z.strictObject({
  path: z.string('is required').min(1, 'is required').describe('Absolute path, links followed'),
  tag: z
    .string('is required')
    .regex(/^[0-9A-Fa-f]{4,16}$/, 'must be 4 to 16 hexadecimal digits')
    .describe('As it stands behind # in the header of the answer'),
  offset: count('First line, 1-based; 1 when absent').optional(),
  limit: count(`Lines; ${MOST_LINES} when absent or 0, and at most`, MOST_LINES).optional(),
});

const reply = z
  .object({
    lines: z.array(z.object({ no: z.int(), text: z.string().describe('With its terminator') })),
  })
  .describe(
    `Those of the lines that were shown and are remembered, in order; they end before ${MOST_CHARACTERS} characters`,
  );

export const shownLinesRoute = ({ offer, metrics }: Served): Route =>
  route<z.infer<typeof query>>({
    method: 'get',
    path: '/api/v0/shown-lines',
    summary: 'What the client that asks was shown under a tag of the hashline display',
    query,
    replies: { 200: { about: 'The lines', schema: reply } },
    example: {
      query: { path: '/workspace/app.log', tag: '5178', offset: 2, limit: 1 },
      reply: { lines: [{ no: 2, text: 'entry 2\n' }] },
    },
    handle: (exchange, { query: { path, tag, offset, limit } }) =>
      reading(metrics, 'shown-lines', exchange, async () => {
        const { snapshots } = offer.engine(exchange.client).session;
        const from = Math.max(1, offset ?? 1);
        const to = from - 1 + (limit || MOST_LINES);
        return { lines: bounded(await snapshots.lines(path, tag.toUpperCase(), from, to)) };
      }),
  });

function bounded(shown: ReadonlyMap<number, string>): z.infer<typeof reply>['lines'] {
  const lines: z.infer<typeof reply>['lines'] = [];
  let characters = 0;
  for (const [no, text] of shown) {
    characters += text.length;
    if (characters > MOST_CHARACTERS) break;
    lines.push({ no, text });
  }
  return lines;
}
