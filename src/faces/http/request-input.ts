/** Owns taking what a request brings: its query and its body, bounded, checked against the route's schemas. */

import type { Context } from 'hono';
import * as z from 'zod';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { quote } from '../../text/visible.ts';
import { problem } from './problem.ts';
import type { Route } from './route.ts';

/** Bytes of a body. */
const BODY_BYTES = 4 * 2 ** 20;

/** A whole number in a query, 0 or more: digits and nothing else. */
export function count(about: string): z.ZodType<number> {
  const number = z.number('must be a whole number').int().min(0).describe(about);
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    number,
  );
}

/** The input of a route, or the 4xx that says what is wrong with it. */
export async function inputOf(
  route: Route,
  context: Context,
): Promise<{ query: unknown; body: unknown } | Response> {
  const query = (route.query ?? z.strictObject({})).safeParse(queryOf(context));
  if (!query.success) return invalid('Query parameters have invalid values.', query.error);
  if (!route.body) return { query: query.data, body: undefined };
  const json = await jsonOf(context);
  if (json instanceof Response) return json;
  const body = route.body.safeParse(json.value);
  if (!body.success) return invalid('The body has invalid values.', body.error);
  return { query: query.data, body: body.data };
}

/** The first value of each parameter. */
function queryOf({ req }: Context): Record<string, string> {
  return Object.fromEntries([...new URL(req.url).searchParams].toReversed());
}

/** The JSON body, or the 4xx instead. */
export async function jsonOf({ req }: Context): Promise<{ value: unknown } | Response> {
  const type = (req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  // A browser sends text/plain and forms anywhere without asking first; it asks before it sends JSON.
  if (type !== 'application/json')
    return problem(415, { message: 'The body must have the content type application/json.' });
  const text = await textOf(req.raw);
  if (text === undefined) {
    const message = `The body is larger than ${binarySize(BODY_BYTES)}.`;
    return problem(413, { message, code: 'LIMIT' });
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return problem(400, { message: 'The body is not valid JSON.', code: 'BAD_INPUT' });
  }
}

/** Undefined for a body over the cap, of which no more is read than that. */
async function textOf(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > BODY_BYTES) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of request.body ?? []) {
      length += part.length;
      if (length > BODY_BYTES) return undefined;
      parts.push(part);
    }
  } catch (cause) {
    throw new OrielError('CANCELLED', 'The client went away before its request was complete.', { cause });
  }
  return Buffer.concat(parts).toString('utf8');
}

function invalid(message: string, { issues }: z.ZodError): Response {
  const validations = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: quote(key),
          detail: `"${quote(key)}" is not a parameter of this route`,
        }))
      : [
          {
            field: quote(issue.path.join('.')),
            detail: detailOf(issue.path.join('.'), quote(issue.message)),
          },
        ],
  );
  return problem(400, { message, code: 'BAD_INPUT', validations });
}

function detailOf(field: string, message: string): string {
  return `"${quote(field)}" ${message}`;
}
