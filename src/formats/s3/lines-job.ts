/**
 * Counts the lines of huge objects in a remote worker. The bytes do not go through the shared store: the worker reads the
 * object itself, with its own credentials and permissions.
 */

import { LINES_KIND, LINES_VERSION, type LinesHead } from '../../code/text-input.ts';
import { isOrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { createNetwork } from '../../network/fetch.ts';
import { unicodeEncoding } from '../../text/encoding.ts';
import { LineIndex } from '../../text/line-index.ts';
import type { S3Settings, WebSettings } from '../../types/settings.ts';
import type { WorkHandler } from '../../types/state.ts';
import { objectLimits, withinTime } from '../ranges/limits.ts';
import { laterPart, type RangeRequest, type RangeResource } from '../ranges/open.ts';
import { RangeBytes } from '../ranges/range-bytes.ts';
import { s3Client } from './client.ts';
import { isAllowed } from './select.ts';

/** The timeout of one count in ms, and after how many ms it is given up if it would probably exceed the timeout. */
const MAX_LINE_COUNT_MS = 10 * 60_000;
const JUDGED_MS = 20_000;

/** The number of requests beyond those that an honest server needs. */
const SPARE_REQUESTS = 64;

/** This worker may not read the object; the replica may. */
const HERE = { why: 'here', isLasting: true } as const;

/** The settings that determine what a worker may read; the replica does everything else itself. */
export interface WorkerReadSettings {
  readonly s3: S3Settings | false;
  readonly web: WebSettings | false;
}

export function linesJob(readable: WorkerReadSettings): WorkHandler {
  return {
    kind: LINES_KIND,
    version: LINES_VERSION,
    async run(head, _, signal) {
      const { facts, size, version, encoding, bom } = head as LinesHead;
      const hopeless = new AbortController();
      const late = AbortSignal.any([AbortSignal.timeout(MAX_LINE_COUNT_MS), hopeless.signal]);
      const until = AbortSignal.any([signal, late]);
      const began = performance.now();
      const judge = (scanned: number): void => {
        const ms = performance.now() - began;
        if (ms > JUDGED_MS && (size / Math.max(1, scanned)) * ms > MAX_LINE_COUNT_MS) hopeless.abort();
      };
      // Without credentials or a certificate this worker cannot read it.
      const place = await placeOf(facts, readable, until).catch(() => undefined);
      if (!place) return HERE;
      const bytes = new RangeBytes({
        name: place.name,
        size,
        identity: Identity.once('counted'),
        // Bounded, because a server that sends small parts could cause any number of requests.
        requests: Math.ceil(size / objectLimits.ahead) + SPARE_REQUESTS,
        read: (start, end, asked) => laterPart(place, { start, end }, { size, version }, [until, asked]),
      });
      const index = new LineIndex(unicodeEncoding(encoding, bom));
      try {
        await index.total(bytes, until, judge);
      } catch (error) {
        if (late.aborted) return { why: 'slow', isLasting: true };
        if (!isOrielError(error)) throw error;
        // Another version, or not readable from here: the replica finds the reason itself.
        return error.code === 'NETWORK' || error.code === 'TIMEOUT'
          ? { why: 'network', isLasting: false }
          : HERE;
      }
      return Buffer.from(index.save());
    },
  };
}

/** Undefined if this worker may not read the object, or is configured for another server than the replica. */
async function placeOf(
  facts: LinesHead['facts'],
  { s3, web }: WorkerReadSettings,
  signal: AbortSignal,
): Promise<RangeResource | undefined> {
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
  const send = ({ headers, mostBytes, signal: asked }: RangeRequest): ReturnType<RangeResource['send']> =>
    withinTime({ name: url, signal: asked }, (until) =>
      network.get(url, { headers, stored: true, signal: until, mostBytes: () => mostBytes }),
    );
  return { name: url, facts, send };
}
