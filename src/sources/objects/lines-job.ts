/**
 * Counts the lines of huge objects for replicas, in a worker. No byte of the object goes through the store: the worker reads
 * it where it is, with credentials and its own permissions.
 */

import { createNetwork } from '../../access/network/fetch.ts';
import { isOrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { encodingOf } from '../../text/encoding.ts';
import type { S3Settings, WebSettings } from '../../types/settings.ts';
import type { WorkHandler } from '../../types/work.ts';
import { type LinesHead, LINES_KIND, LINES_VERSION } from '../../views/remote-line-count.ts';
import { LineIndex } from '../../window/line-index.ts';
import { isAllowed } from './object-path.ts';
import { objectLimits } from './object-limits.ts';
import { type Ask, laterPart, type Place } from './open-ranges.ts';
import { RangeBytes } from './range-bytes.ts';
import { withinTime } from './request-time.ts';
import { s3Client } from './s3-client.ts';

/** Milliseconds of one count, and after how many it is given up where the rest would take longer than that. */
const MOST_MS = 10 * 60_000;
const JUDGED_MS = 20_000;

/** Requests beside those that an honest server needs. */
const SPARE_REQUESTS = 64;

/** Whoever wants it may read what this worker may not. */
const HERE = { why: 'here', isLasting: true } as const;

/** What a worker may read; the replica does everything else itself. */
export interface Readable {
  readonly s3: S3Settings | false;
  readonly web: WebSettings | false;
}

export function linesJob(readable: Readable): WorkHandler {
  return {
    kind: LINES_KIND,
    version: LINES_VERSION,
    async run(head, _, signal) {
      const { facts, size, version, encoding, bom } = head as LinesHead;
      const hopeless = new AbortController();
      const late = AbortSignal.any([AbortSignal.timeout(MOST_MS), hopeless.signal]);
      const until = AbortSignal.any([signal, late]);
      const began = performance.now();
      const judge = (scanned: number): void => {
        const ms = performance.now() - began;
        if (ms > JUDGED_MS && (size / Math.max(1, scanned)) * ms > MOST_MS) hopeless.abort();
      };
      // Without credentials, or a certificate, this worker may not read it.
      const place = await placeOf(facts, readable, until).catch(() => undefined);
      if (!place) return HERE;
      const bytes = new RangeBytes({
        name: place.name,
        size,
        identity: Identity.once('counted'),
        // Parts as small as a server likes would cost as many requests as it likes.
        requests: Math.ceil(size / objectLimits.ahead) + SPARE_REQUESTS,
        read: (start, end, asked) => laterPart(place, { start, end }, { size, version }, [until, asked]),
      });
      const index = new LineIndex(encodingOf(encoding, bom));
      try {
        await index.total(bytes, until, judge);
      } catch (error) {
        if (late.aborted) return { why: 'slow', isLasting: true };
        if (!isOrielError(error)) throw error;
        // Of another version, or not to be read from here: the reason is for whoever reads it.
        return error.code === 'NETWORK' || error.code === 'TIMEOUT'
          ? { why: 'network', isLasting: false }
          : HERE;
      }
      return Buffer.from(index.save());
    },
  };
}

/** Undefined for what this worker may not read, or finds on another server than the replica. */
async function placeOf(
  facts: LinesHead['facts'],
  { s3, web }: Readable,
  signal: AbortSignal,
): Promise<Place | undefined> {
  const { bucket, key, endpoint, url } = facts as Readonly<Record<string, string | undefined>>;
  if (bucket !== undefined && key !== undefined) {
    if (s3 === false || !isAllowed(s3.buckets, `${bucket}/${key}`)) return undefined;
    const client = await s3Client(s3, signal);
    const name = `s3://${bucket}/${key}`;
    if (client.endpoint !== endpoint) return undefined;
    return { name, facts, send: (ask) => client.get({ ...ask, bucket, key, name }) };
  }
  if (url === undefined || web === false) return undefined;
  const network = createNetwork(web);
  const send = ({ headers, mostBytes, signal: asked }: Ask): ReturnType<Place['send']> =>
    withinTime({ name: url, signal: asked }, (until) =>
      network.get(url, { headers, stored: true, signal: until, mostBytes: () => mostBytes }),
    );
  return { name: url, facts, send };
}
