/** Reads the input of a request: its query and its body, bounded, checked against the route's schemas. */

import * as z from 'zod';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import type { Exchange, Reply } from './exchange.ts';
import { Parcel } from './inbox.ts';
import { problem } from './problem.ts';
import type { Route } from './route.ts';

const NO_QUERY = z.strictObject({});
const INVALID_QUERY = 'Query parameters have invalid values.';

/** Bytes of a body. */
const BODY_BYTES = 4 * 2 ** 20;

/** A body that takes more keeps its room until its request is answered; the queues bound how many smaller ones there are. */
const SMALL_BYTES = 16 << 10;

/** Values in a body: each takes time, also where it takes only two bytes. */
const MOST_VALUES = 10_000;

/** Fields that a refusal lists. */
const MOST_VALIDATIONS = 20;

/** A whole number in a query, 0 to `most`: digits and nothing else. */
export function count(about: string, most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const number = z
    .number('must be a whole number')
    .int()
    .min(0, 'value is negative')
    .max(most, `must be at most ${most}`)
    .describe(about);
  return z.preprocess(
    (text) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
    number,
  );
}

/** The input of a route, or the 4xx that says what is wrong with it. */
export async function inputOf(
  route: Route,
  exchange: Exchange,
): Promise<{ query: unknown; body: unknown } | Reply> {
  const twice = repeatedIn(exchange);
  if (twice.length > 0) {
    return invalidFields(
      INVALID_QUERY,
      twice.map((field) => [field, 'provided more than once']),
    );
  }
  const query = (route.query ?? NO_QUERY).safeParse(queryOf(exchange));
  if (!query.success) return invalid(INVALID_QUERY, query.error);
  if (!route.body) return { query: query.data, body: undefined };
  const json = await jsonOf(exchange);
  if ('status' in json) return json;
  const body = route.body.safeParse(json.value);
  if (!body.success) return invalid('The body has invalid values.', body.error);
  return { query: query.data, body: body.data };
}

/** Parameters by name. An empty one is as good as none: its default is meant. */
function queryOf({ query }: Exchange): Record<string, string> {
  return Object.fromEntries([...query].filter(([, value]) => value !== ''));
}

function repeatedIn({ query }: Exchange): string[] {
  const names = [...query.keys()];
  return Array.from(new Set(names.filter((name, at) => names.indexOf(name) !== at)));
}

/** The JSON body, or the 4xx instead. */
export async function jsonOf(exchange: Exchange): Promise<{ value: unknown } | Reply> {
  const type = (exchange.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  // A browser sends text/plain and forms anywhere without asking first; it asks before it sends JSON.
  if (type !== 'application/json')
    return problem(415, {
      message: 'The body must have the content type application/json.',
      code: 'BAD_INPUT',
    });
  const text = await textOf(exchange);
  if (text === undefined) {
    const message = `The body is larger than ${binarySize(BODY_BYTES)}.`;
    return problem(413, { message, code: 'LIMIT' });
  }
  if (hasTooManyValues(text)) {
    const message = `The body has more than ${MOST_VALUES.toLocaleString('en')} values.`;
    return problem(413, { message, code: 'LIMIT' });
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return problem(400, { message: 'The body is not valid JSON.', code: 'BAD_INPUT' });
  }
}

/**
 * Undefined for a body over the cap, of which no more is read than that. Throws `BUSY` where there is no room for it,
 * before it is read or, where it stalls, later.
 */
async function textOf(exchange: Exchange): Promise<string | undefined> {
  const { incoming } = exchange;
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > BODY_BYTES) return undefined;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      incoming.off('data', take).off('end', end).off('close', gone).off('error', gone);
    };
    const fail = (error: OrielError): void => {
      stop();
      incoming.pause();
      parts.length = 0;
      reject(error);
    };
    const parcel = new Parcel(exchange.client, fail);
    const take = (part: Buffer): void => {
      length += part.length;
      if (length > BODY_BYTES) {
        stop();
        incoming.pause();
        parcel.release();
        resolve(undefined);
        return;
      }
      try {
        parcel.grow(Math.max(declared, length));
        parts.push(part);
      } catch (error) {
        parcel.release();
        fail(error as OrielError);
      }
    };
    const end = (): void => {
      stop();
      if (length <= SMALL_BYTES) parcel.release();
      else {
        parcel.complete();
        exchange.onClosed(() => parcel.release());
      }
      resolve(Buffer.concat(parts).toString('utf8'));
    };
    const gone = (cause?: Error): void => {
      stop();
      parcel.release();
      reject(new OrielError('CANCELLED', 'The client went away before its request was complete.', { cause }));
    };
    // Nothing more is told of one that has closed already.
    if (incoming.destroyed) return gone();
    parcel.grow(declared);
    incoming.on('data', take).on('end', end).on('close', gone).on('error', gone);
  });
}

/** By its commas and opening brackets outside of strings. */
function hasTooManyValues(text: string): boolean {
  // Each value but the last takes a digit and a comma at least.
  if (text.length < 2 * MOST_VALUES) return false;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      if (at === -1) return false;
    } else if (code === COMMA || code === BRACKET || code === BRACE) {
      values += 1;
      if (values > MOST_VALUES) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/** Of the string that begins at `from`; -1 where it does not end. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}

function invalid(message: string, { issues }: z.ZodError): Reply {
  return invalidFields(
    message,
    issues.flatMap((issue): (readonly [string, string])[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => [key, 'is not a parameter of this route'])
        : [[issue.path.join('.'), quote(issue.message)]],
    ),
  );
}

/** Each field with what is wrong with it; of very many the first ones. */
function invalidFields(message: string, fields: readonly (readonly [field: string, what: string])[]): Reply {
  const more = fields.length - MOST_VALIDATIONS;
  const validations = fields.slice(0, MOST_VALIDATIONS).map(([field, what]) => ({
    field: quote(field),
    detail: `"${quote(field)}" ${what}`,
  }));
  const told = more > 0 ? `${message} ${more.toLocaleString('en')} more are not listed.` : message;
  return problem(400, { message: told, code: 'BAD_INPUT', validations });
}
