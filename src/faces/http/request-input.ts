/** Reads the query and the body of a request and validates them with the schemas of the route. */

import * as z from 'zod';
import { quote } from '../../text/visible.ts';
import type { Exchange, Reply } from './exchange.ts';
import { problem } from './problem.ts';
import { jsonOf } from './request-body.ts';
import type { Route } from './route.ts';

const NO_QUERY = z.strictObject({});
const INVALID_QUERY = 'Query parameters have invalid values.';

/** Maximum parameters of a query; no route has that many. */
const MOST_PARAMETERS = 100;

/** Maximum fields that a refusal lists. */
const MOST_VALIDATIONS = 20;

/** The schema of a whole number in a query, 0 to `most`: only digits. */
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

/** The input of a route, or a 4xx reply with the reason. */
export async function inputOf(
  route: Route,
  exchange: Exchange,
): Promise<{ query: unknown; body: unknown } | Reply> {
  if (exchange.query.size > MOST_PARAMETERS) {
    const message = `There are more than ${MOST_PARAMETERS} query parameters.`;
    return problem(400, { message, code: 'BAD_INPUT' });
  }
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

/** Parameters by name. Empty ones count as absent. */
function queryOf({ query }: Exchange): Record<string, string> {
  return Object.fromEntries([...query].filter(([, value]) => value !== ''));
}

function repeatedIn({ query }: Exchange): string[] {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const name of query.keys()) (once.has(name) ? twice : once).add(name);
  return [...twice];
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

/** The reply with the invalid fields and the reasons; only the first ones if there are many. */
function invalidFields(message: string, fields: readonly (readonly [field: string, what: string])[]): Reply {
  const more = fields.length - MOST_VALIDATIONS;
  const validations = fields.slice(0, MOST_VALIDATIONS).map(([field, what]) => ({
    field: quote(field),
    detail: `"${quote(field)}" ${what}`,
  }));
  const told = more > 0 ? `${message} ${more.toLocaleString('en')} more are not listed.` : message;
  return problem(400, { message: told, code: 'BAD_INPUT', validations });
}
