/** Parses the path after `s3://`: bucket, key and selector. */

import type { OrielError } from '../../../../src/errors.ts';
import type { S3Settings } from '../../../../src/types/settings.ts';
import { oriel } from '../oriel.ts';

export interface ObjectPath {
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  /** The selector after the key, without the colon. */
  readonly rest: string;
  /** The entry after which a page of a listing begins (cursor). */
  readonly after?: string | undefined;
}

/** Source: "General purpose bucket naming rules" of S3, extended by characters that older buckets may have. */
const BUCKET = /^[a-z0-9](?!.*\.\.)[a-z0-9._-]{1,253}[a-z0-9]$/i;

/**
 * The ways to parse `typed` (`bucket/dir/a.zip:x.ts:5-9`), most likely first, because each attempt costs a request. The name
 * of an archive or database probably ends a key, otherwise a selector does; a key that itself looks like a key with a
 * selector comes last. `prefix/?after=NAME` is a page of a listing. Throws `BAD_PATH`.
 */
export function objectPaths(typed: string): ObjectPath[] {
  const [bucket = ''] = typed.split(/[/:?]/, 1);
  if (!BUCKET.test(bucket)) {
    throw new oriel.OrielError(
      'BAD_PATH',
      `${oriel.quote(`s3://${typed}`)} names no bucket: that has 3 or more of a-z, 0-9, dots, hyphens. Use s3://BUCKET/KEY, or s3:// for the list of buckets.`,
      { next: 's3://' },
    );
  }
  const behind = typed.slice(bucket.length);
  if (!/^\/[^:]/.test(behind)) return [{ bucket, key: '', rest: behind.replace(/^\/?:?/, '') }];
  const page = /^((?:.*\/)?)\?after=([^:]*)(?::(.*))?$/s.exec(behind.slice(1));
  if (page) {
    const [, key = '', after = '', rest = ''] = page;
    refuseKey(bucket, key);
    return [{ bucket, key, rest, after: oriel.decodeUri(after) }];
  }
  const all = oriel.divideRemotePath(behind.slice(1)).map(({ path, rest }) => ({ bucket, key: path, rest }));
  for (const { key } of all) refuseKey(bucket, key);
  return all;
}

/** Throws for a key that a URL cannot represent, because another object would be read. */
function refuseKey(bucket: string, key: string): void {
  const name = `s3://${bucket}/${key}`;
  const next = `s3://${bucket}`;
  const refuse = (why: string): OrielError =>
    new oriel.OrielError(
      'BAD_PATH',
      `${oriel.quote(name).slice(0, 300)} is not read: ${why}. Use ${next} for a list.`,
      {
        next,
      },
    );
  if (Buffer.byteLength(key) > oriel.objectLimits.keyBytes) {
    throw refuse(`a key has at most ${oriel.objectLimits.keyBytes} bytes`);
  }
  if (key.split('/').some((part) => part === '.' || part === '..')) {
    throw refuse('a URL cannot name a key with . or .. between slashes');
  }
  if (oriel.oneLine(key) !== key || !key.isWellFormed()) {
    throw refuse('its key has characters that cannot be shown');
  }
}

/** Throws `OUTSIDE_ROOT` for objects outside the buckets and prefixes that the operator allows. */
export function refuseOutside(
  { buckets }: S3Settings,
  { bucket, key }: Pick<ObjectPath, 'bucket' | 'key'>,
): void {
  if (!buckets || isAllowed(buckets, `${bucket}/${key}`)) return;
  const path = `${bucket}/${key}`;
  const [first = ''] = buckets;
  const next = `s3://${oriel.withoutTrailingSlashes(first)}/`;
  const places = buckets.slice(0, 5).map((allowed) => oriel.quote(`s3://${allowed}`));
  throw new oriel.OrielError(
    'OUTSIDE_ROOT',
    `${oriel.quote(`s3://${path}`)} lies outside of what may be read here: ${places.join(', ')}${buckets.length > 5 ? ', …' : ''}. Use ${oriel.quote(next)}.`,
    { next },
  );
}

/** `path` is `BUCKET/KEY`, or `BUCKET/PREFIX/`. */
export function isAllowed(buckets: readonly string[] | undefined, path: string): boolean {
  if (!buckets || buckets.includes(path)) return true;
  return buckets.some((allowed) => path.startsWith(`${oriel.withoutTrailingSlashes(allowed)}/`));
}
