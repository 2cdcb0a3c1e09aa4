/**
 * Which version of a place elsewhere (an object, a web page) each caller was shown last: a part of another version
 * is never shown without a word. Replicas tell each other, for callers that they all know.
 */

import { type Caller, callerName } from '../queues/caller.ts';
import type { SeenStore, SeenVersion } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import { Lru } from './lru.ts';

/** Places of one caller; of the others nothing is known. */
const MOST_PLACES = 1_000;

/** How long other replicas know it. */
const KEEP_MS = 60 * 60_000;

export class SeenVersions implements SeenStore {
  readonly #here = new WeakMap<Caller, Lru<string>>();
  readonly #space: StateSpace | undefined;

  /** `space`: that of the session, where it has one. */
  constructor(space?: StateSpace) {
    this.#space = space;
  }

  async last(caller: Caller, place: string): Promise<SeenVersion> {
    const here = this.#here.get(caller)?.get(place);
    const name = nameIn(caller, place);
    const bytes = name && (await this.#space?.get(name));
    const shared = bytes instanceof Uint8Array ? bytes.toString() : undefined;
    return { ...(here !== undefined && { here }), ...(shared !== undefined && { shared }) };
  }

  async saw(caller: Caller, place: string, version: string): Promise<void> {
    let places = this.#here.get(caller);
    if (!places) this.#here.set(caller, (places = new Lru(MOST_PLACES)));
    places.set(place, version);
    const name = nameIn(caller, place);
    if (name) await this.#space?.put(name, Buffer.from(version), KEEP_MS);
  }
}

/** Several callers may have one space. Undefined for one that no other replica knows. */
function nameIn(caller: Caller, place: string): StateName | undefined {
  const known = callerName(caller);
  return known && { kind: 'seen', of: [known.name, place] };
}
