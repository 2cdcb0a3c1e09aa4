/** Opens a remote file with the source of its kind, and adds notices about its version. */

import { isOrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { callerOf } from '../../queues/caller.ts';
import { parseSelection } from '../../selector/selection.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, SourceKind, TextResource } from '../../types/resource.ts';
import type { Selection } from '../../types/selection.ts';
import { objectLimits } from './object-limits.ts';
import { openRanges, type Place } from './open-ranges.ts';
import type { Version } from './version.ts';

export interface RemoteFile {
  readonly place: Place;
  /** The selector after its name, without the colon. */
  readonly rest: string;
  /** The base name, by which its kind is detected. */
  readonly file: string;
  readonly kind: SourceKind;
  /** For `details.meta`. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Throws the errors of `place` and of the source that opens it. */
export async function openRemote(
  { place, rest, file, kind, facts }: RemoteFile,
  call: Call,
): Promise<Resource> {
  const { name } = place;
  const { bytes, size, version, head } = await openRanges(place, selectionIn(rest), call);
  const resource = await call.open({
    typed: name,
    rest,
    name: file,
    path: name,
    opened: { is: 'file', path: name, size, mtimeMs: 0, bytes, close: () => Promise.resolve() },
    head,
  });
  const said = [
    ...((await isReplaced(place, version, rest, call))
      ? [`${name} was replaced since it was last read: lines and bytes may lie elsewhere`]
      : []),
    ...(version.name === undefined && version.prefix === undefined
      ? [`The server tells no version of ${name}: a change between two requests would not be noticed`]
      : []),
  ];
  const known = { ...facts, ...(version.etag !== undefined && { etag: version.etag }) };
  return asRemote(resource, kind, known, said);
}

/** Whether a part is requested and the caller was shown another version before. */
async function isReplaced(
  { facts }: Place,
  { name }: Version,
  rest: string,
  { session, signal }: Call,
): Promise<boolean> {
  if (name === undefined) return false;
  const [caller, place] = [callerOf(signal), Identity.of('object-place', facts).key];
  const { here = name, shared = name } = rest === '' ? {} : await session.seen.last(caller, place);
  await session.seen.saw(caller, place, name);
  return here !== name || shared !== name;
}

/** Undefined if it is not a generic selector, but a member of an archive, a table or the like. */
function selectionIn(rest: string): Selection | undefined {
  try {
    return parseSelection(rest);
  } catch (error) {
    // The source that opens the file reports the error.
    if (isOrielError(error)) return undefined;
    throw error;
  }
}

/** A resource that is not editable. Its lines are counted only if that needs no additional reads. */
function asRemote(
  resource: Resource,
  kind: SourceKind,
  facts: Readonly<Record<string, unknown>>,
  said: readonly string[],
): Resource {
  const notes = said.map((text) => ({ kind: 'said', text }) as const);
  const told = (text: TextResource): TextResource => ({
    ...text,
    kind,
    editable: false,
    ...(text.bytes.remote && { countUpTo: objectLimits.counted }),
    facts: { ...text.facts, ...facts },
    notes: [...(text.notes ?? []), ...notes],
  });
  if (resource.is === 'mixed') return { ...resource, kind, text: told(resource.text) };
  if (resource.is === 'text') return told(resource);
  return { ...resource, kind, facts: { ...resource.facts, ...facts } };
}
