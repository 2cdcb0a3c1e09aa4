/** The options of the shared store of replicas, which the package @oriel/scale opens. */

import { OrielError } from '../errors.ts';
import {
  installCommand,
  installedVersion,
  isOlder,
  requireSibling,
  version,
} from '../files/package-files.ts';
import { Queue } from '../queues/queue.ts';
import { quote } from '../text/visible.ts';
import type { SharedState } from '../types/state.ts';
import { inTime, MAX_WORK_INPUT_BYTES, putJson, readJson } from './work-values.ts';

export interface StateOptions {
  /** `redis://…`, `rediss://…`, `postgres://…`; `file:` shares nothing. */
  readonly url: string;
  /** The secret of all replicas, with which values are encrypted. At least 32 characters. */
  readonly key?: string | undefined;
  /** The space of calls without a separate client. @default 'common' */
  readonly space?: string | undefined;
  /** Timeout of an operation of the store, in milliseconds. @default 1000 */
  readonly timeoutMs?: number | undefined;
  /** Whether `oriel worker` processes, if there are any, do heavy work. Requires Redis or Valkey. @default false */
  readonly workers?: boolean | undefined;
}

/**
 * Undefined for `file:`. Does not connect or load a client yet. Throws `BAD_INPUT`; of the URL only the scheme is in the
 * message. Throws `UNSUPPORTED` if the package is missing.
 */
export function openState(options: StateOptions): SharedState | undefined {
  if (options.workers !== true && /^file:/i.test(options.url)) return undefined;
  return (requireSibling('scale') as StatePackage).openState(stateHost, options);
}

/** What the package @oriel/scale does for a shared state. */
export interface StatePackage {
  openState(host: StateHost, options: StateOptions): SharedState | undefined;
}

export type StateHost = typeof stateHost;

/** All that it uses of this one. */
export const stateHost = {
  installCommand,
  installedVersion,
  inTime,
  isOlder,
  MAX_WORK_INPUT_BYTES,
  OrielError,
  putJson,
  Queue,
  quote,
  readJson,
  version,
};
