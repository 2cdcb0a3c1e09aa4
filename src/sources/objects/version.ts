/** The version of a remote object by its entity tag or modification time, and the condition that requests it again. */

import type { Headers } from '../../access/network/reply-body.ts';
import type { StoredVersion } from '../../types/byte-source.ts';

export type Version = StoredVersion;

/** A modification time (in seconds) is a strong validator only if it is at least this old. Source: RFC 9110, 8.8.2.2. */
const SETTLED_MS = 60_000;

export function versionOf({
  etag,
  'last-modified': lastModified,
  'oriel-prefix': prefix,
  date,
}: Headers): Version {
  const stated = {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(prefix !== undefined && { prefix }),
  };
  if (etag !== undefined && /^"[^"]+"$/.test(etag)) {
    return { ...stated, name: `${etag} ${lastModified ?? ''}`, condition: { 'if-match': etag } };
  }
  const age = Date.parse(date ?? '') - Date.parse(lastModified ?? '');
  if (lastModified !== undefined && age >= SETTLED_MS) {
    return { ...stated, name: lastModified, condition: { 'if-unmodified-since': lastModified } };
  }
  return { ...stated, name: undefined, condition: {} };
}

/** The version without `prefix`: it differs from later versions even if the file has only grown. */
export function exactly({ etag, lastModified, name, condition }: Version): Version {
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    name,
    condition,
  };
}

/** True also if the file has only grown between the two versions. */
export function isSameVersion(one: Version, other: Version): boolean {
  if (one.prefix !== undefined && one.prefix === other.prefix) return true;
  return one.etag === other.etag && one.lastModified === other.lastModified;
}
