/** Options for the shared store of replicas: `--state URL` and the encryption key. */

import { OrielError } from '../../errors.ts';
import type { StateOptions } from '../../state/open-state.ts';
import { quote } from '../../text/visible.ts';
import type { Option, Values } from './command.ts';
import { makeSecret, readSecret } from './token.ts';

export const stateOptions: readonly Option[] = [
  {
    name: 'state',
    type: 'string',
    value: 'URL',
    help: 'share kept outputs and caches with other replicas: redis://, rediss:// or postgres:// (default file:, shared with none)',
  },
  {
    name: 'state-file',
    type: 'string',
    value: 'FILE',
    help: 'read the URL of --state from FILE: one with a password is in no process list then',
  },
  {
    name: 'state-key-file',
    type: 'string',
    value: 'FILE',
    help: 'the key of all replicas, which encrypts what they share (openssl rand -hex 32)',
  },
  {
    name: 'state-timeout',
    type: 'string',
    value: 'SECONDS',
    help: 'timeout for the shared store; work then continues without it (default 1)',
  },
];

/** For servers, which have kept outputs. */
export const spaceOption: Option = {
  name: 'state-space',
  type: 'string',
  value: 'NAME',
  help: 'share with all that use the same NAME; use different ones for people whose outputs must stay separate (default common)',
};

/** For servers, which send work to workers. */
export const workersOption: Option = {
  name: 'workers',
  type: 'boolean',
  help: 'let oriel worker processes on the same Redis or Valkey do heavy work, if there are any',
};

/** Throws `BAD_INPUT`; messages never contain a password. `warn` is called for files that others can read. */
export function stateOf(values: Values, warn: (text: string) => void): { readonly state?: StateOptions } {
  const secretIn = (path: string, what: string, remedy: string): string => {
    const { text, warning } = readSecret(path, what, remedy);
    if (warning !== undefined) warn(warning);
    return text.trim();
  };
  const [given, file, keyFile] = ['state', 'state-file', 'state-key-file'].map(
    (name) => values[name] as string | undefined,
  );
  if (given !== undefined && file !== undefined)
    throw new OrielError('BAD_INPUT', 'The state has two URLs. Use --state-file FILE without --state.');
  if (given !== undefined && hasPassword(given)) {
    throw new OrielError(
      'BAD_INPUT',
      'Other users could read the password of --state in the list of processes. Put the URL into a private file, and use --state-file FILE.',
    );
  }
  const url =
    file === undefined
      ? given
      : secretIn(file, 'URL', 'Use a file with the URL in it that only you may read.');
  const timeout = timeoutOf(values);
  if (url === undefined) {
    const alone = ['state-key-file', 'state-space', 'state-timeout', 'workers'].find(
      (name) => values[name] !== undefined,
    );
    if (alone === undefined) return {};
    throw new OrielError(
      'BAD_INPUT',
      `--${alone} is for a shared state. Use it with --state URL or --state-file FILE.`,
    );
  }
  const key = keyFile === undefined ? undefined : secretIn(keyFile, 'key', makeSecret(keyFile));
  return {
    state: {
      url,
      ...(key !== undefined && { key }),
      ...timeout,
      ...(values['state-space'] !== undefined && { space: values['state-space'] as string }),
      ...(values['workers'] === true && { workers: true }),
    },
  };
}

/** Whether the URL has a password; pg also accepts one as a parameter. */
function hasPassword(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && (url.password !== '' || url.searchParams.has('password'));
}

function timeoutOf(values: Values): { readonly timeoutMs?: number } {
  const text = values['state-timeout'] as string | undefined;
  if (text === undefined) return {};
  if (/^\d{1,2}(\.\d{1,3})?$/.test(text) && Number(text) > 0 && Number(text) <= 60)
    return { timeoutMs: Number(text) * 1_000 };
  throw new OrielError(
    'BAD_INPUT',
    `${quote(text)} is not a number of seconds above 0, at most 60. Use --state-timeout 1.`,
  );
}
