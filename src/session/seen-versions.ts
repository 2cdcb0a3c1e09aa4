/**
 * Remembers which version of a remote resource (an object, a web page) each caller was shown last, so that a later part
 * of another version is shown with a notice. Replicas share this for callers that have a name.
 */

import { type Caller, callerName } from '../queues/caller.ts';
import type { SeenStore, SeenVersion } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import { Lru } from './lru.ts';

/** Resources remembered for one caller; the least recently used are forgotten. */
const MOST_PLACES = 1_000;

/** How long the shared store keeps a version, in ms. */
const KEEP_MS = 60 * 60_000;

export class SeenVersions implements SeenStore {
  readonly #here = new WeakMap<Caller, Lru<string>>();
  readonly #space: StateSpace | undefined;

  /** `space` is the shared store of the session; without one, versions are known to this process only. */
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

/** The name includes the caller, because callers may share a space. Undefined for a caller that no other replica knows. */
function nameIn(caller: Caller, place: string): StateName | undefined {
  const known = callerName(caller);
  return known && { kind: 'seen', of: [known.name, place] };
}
