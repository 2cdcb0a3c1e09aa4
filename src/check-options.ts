/** Checks the names and types of options: with a misspelt `roots` that is ignored, everything could be read. */

import type { OrielOptions, TelemetrySettings } from './options.ts';
import { OrielError } from './errors.ts';
import { didYouMean, nearNames } from './text/near.ts';
import { quote } from './text/visible.ts';
import type { Endpoints, S3Settings, WebSettings } from './types/settings.ts';

/** The type of a value, as a noun; or the list of valid words; or the rules of the options in an object. */
type Rule = keyof typeof TYPES | readonly string[] | Rules;
interface Rules {
  readonly [name: string]: Rule;
}

const TYPES = {
  'a string': (value: unknown) => typeof value === 'string',
  'a list of strings': (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'a number': (value: unknown) => typeof value === 'number',
  'true or false': (value: unknown) => typeof value === 'boolean',
  'a function': (value: unknown) => typeof value === 'function',
  'an object': (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'an object of strings': (value: unknown) =>
    TYPES['an object'](value) && Object.values(value as object).every((one) => typeof one === 'string'),
  'an object, true or false': (value: unknown) => typeof value === 'boolean' || TYPES['an object'](value),
  'an object, or false': (value: unknown) => value === false || TYPES['an object'](value),
} as const;

/** All options: the compiler rejects a missing one. `an object` without rules is checked further elsewhere. */
const OPTIONS: { readonly [K in keyof Required<OrielOptions>]: Rule } = {
  cwd: 'a string',
  roots: 'a list of strings',
  allow: 'a list of strings',
  dialect: 'a string',
  limits: 'an object',
  model: 'a string',
  limitsPerModel: 'an object',
  display: ['numbers', 'hashline', 'plain'],
  read: {
    defaultLimit: 'a number',
    lineNumbers: 'true or false',
    hashLines: 'true or false',
    summarize: 'true or false',
    mapBytes: 'a number',
    imageMetadataOnly: 'true or false',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['read']>>]: Rule },
  tokens: 'a function',
  timeoutMs: 'a number',
  run: {
    timeout: 'a number',
    environment: 'a list of strings',
    background: ['end', 'keep'],
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['run']>>]: Rule },
  agentOutputs: 'a string',
  userFiles: 'true or false',
  schemes: 'an object',
  web: 'an object, true or false',
  s3: 'an object, true or false',
  mcpServers: 'an object',
  workspaces: 'an object',
  spills: {
    state: 'a string',
    workingDirectory: 'a string',
    cap: 'a number',
    total: 'a number',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['spills']>>]: Rule },
  cache: 'an object, or false',
  state: {
    url: 'a string',
    key: 'a string',
    space: 'a string',
    timeoutMs: 'a number',
    workers: 'true or false',
  } satisfies { readonly [K in keyof Required<NonNullable<OrielOptions['state']>>]: Rule },
  telemetry: 'an object, or false',
  session: 'an object',
  now: 'a function',
  onError: 'a function',
};

const CACHE = { directory: 'a string', bytes: 'a number' } satisfies {
  readonly [K in keyof Required<Exclude<NonNullable<OrielOptions['cache']>, false>>]: Rule;
};

const TELEMETRY = { file: 'a string', task: 'a string', totals: 'true or false' } satisfies {
  readonly [K in keyof Required<TelemetrySettings>]: Rule;
};

const WEB = {
  allow: 'a list of strings',
  endpoints: {
    wikipedia: 'a string',
    stackexchange: 'a string',
    arxiv: 'a string',
    mdn: 'a string',
    rfc: 'a string',
  } satisfies { readonly [K in keyof Required<Endpoints>]: Rule },
} satisfies { readonly [K in keyof WebSettings]: Rule | Rules };

const S3 = {
  allow: 'a list of strings',
  endpoint: 'a string',
  region: 'a string',
  buckets: 'a list of strings',
} satisfies { readonly [K in keyof Required<S3Settings>]: Rule };

/** A scheme in lower case by the URL Standard, except `file`, `http` and `https`, which cannot be replaced. */
const SCHEME = /^(?!file$|https?$)[a-z][a-z0-9+.-]*$/;

/** Throws `BAD_INPUT` with the name of the first invalid option. */
export function checkOptions(options: OrielOptions): void {
  check(options as Readonly<Record<string, unknown>>, OPTIONS, '');
  if (options.cache) check(options.cache as Readonly<Record<string, unknown>>, CACHE, 'cache.');
  if (options.telemetry) {
    check(options.telemetry as Readonly<Record<string, unknown>>, TELEMETRY, 'telemetry.');
  }
  if (typeof options.s3 === 'object') check(options.s3 as Readonly<Record<string, unknown>>, S3, 's3.');
  if (typeof options.web === 'object') check(options.web as Readonly<Record<string, unknown>>, WEB, 'web.');
  for (const [name, server] of Object.entries(options.mcpServers ?? {})) checkServer(name, server);
  for (const [name, read] of Object.entries(options.schemes ?? {})) {
    if (!SCHEME.test(name)) {
      throw new OrielError('BAD_INPUT', `${quote(name)} cannot be a scheme. Use a name such as ticket.`);
    }
    if (read !== false && typeof read !== 'function') {
      throw new OrielError('BAD_INPUT', `The option schemes.${name} is a function, or false.`);
    }
  }
}

const STDIO: Rules = { command: 'a string', args: 'a list of strings', env: 'an object of strings' };
const HTTP: Rules = {
  url: 'a string',
  headers: 'an object of strings',
  addresses: { allow: 'a list of strings', howToAllow: 'a string' },
};
const REFUSED: Rules = { refused: 'a string' };

function checkServer(name: string, server: unknown): void {
  const front = `mcpServers.${quote(name)}`;
  const given = server as Readonly<Record<string, unknown>>;
  if (TYPES['an object'](server) && given['refused'] !== undefined) return check(given, REFUSED, `${front}.`);
  if (!TYPES['an object'](server) || (given['command'] === undefined) === (given['url'] === undefined)) {
    throw new OrielError('BAD_INPUT', `The option ${front} has a command, or a url.`);
  }
  check(given, given['command'] === undefined ? HTTP : STDIO, `${front}.`);
  const url = given['url'];
  if (typeof url === 'string' && !/^https?:\/\//i.test(URL.canParse(url) ? new URL(url).href : '')) {
    throw new OrielError('BAD_INPUT', `The option ${front}.url is not an http or https URL: ${quote(url)}.`);
  }
  if (typeof url === 'string' && (new URL(url).username !== '' || new URL(url).password !== '')) {
    throw new OrielError(
      'BAD_INPUT',
      `The option ${front}.url holds a user name or a password. Use ${front}.headers.`,
    );
  }
}

function check(given: Readonly<Record<string, unknown>>, rules: Rules, front: string): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const near = nearNames(name, Object.keys(rules));
      const hint = near.length > 0 ? didYouMean(near) : ` Use one of ${Object.keys(rules).join(', ')}.`;
      throw new OrielError('BAD_INPUT', `There is no option ${front}${quote(name)}.${hint}`);
    }
    if (value === undefined) continue;
    if (typeof rule === 'string') refuseUnless(TYPES[rule](value), front + name, rule, value);
    else if (Array.isArray(rule)) {
      refuseUnless(rule.includes(value), front + name, `one of ${rule.join(', ')}`, value);
    } else {
      refuseUnless(TYPES['an object'](value), front + name, 'an object', value);
      check(value as Readonly<Record<string, unknown>>, rule as Rules, `${front}${name}.`);
    }
  }
}

function refuseUnless(isValid: boolean, name: string, what: string, value: unknown): void {
  if (isValid) return;
  const shown = typeof value === 'string' ? quote(value) : value === null ? 'null' : `a ${typeof value}`;
  throw new OrielError('BAD_INPUT', `The option ${name} is ${what}, not ${shown}.`);
}
