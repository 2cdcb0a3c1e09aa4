/** The part of the engine that answers each kind of request. All but reading is loaded when it is first needed. */

import type { Call } from '../types/call.ts';
import type { TextPolicy } from '../types/policy.ts';
import type { RequestOf } from '../types/request.ts';
import type { ResultOf } from '../types/result.ts';
import { read, readLines } from './read.ts';

type Kind = keyof RequestOf;

/** A request whose kind is known to be `K`. */
type RequestFor<K extends Kind> = { [P in K]: RequestOf[P] & { readonly do: P } }[K];

type Performers = {
  readonly [K in Kind]: (request: RequestOf[K], call: Call, policy: TextPolicy) => Promise<ResultOf[K]>;
};

const performers: Performers = {
  read,
  lines: readLines,
  run: async (request, call) => (await import('./run.ts')).run(request, call),
  search: async (request, call) => (await import('./search.ts')).search(request, call),
  find: async (request, call) => (await import('./find.ts')).find(request, call),
  list: async (request, call) => (await import('./list.ts')).list(request, call),
};

export function perform<K extends Kind>(
  request: RequestFor<K>,
  call: Call,
  policy: TextPolicy,
): Promise<ResultOf[K]> {
  return performers[request.do](request, call, policy);
}
