/** Reads files that are too large to fetch completely by ranges, if their server supports that. */

import type { Headers } from '../../access/network/reply-body.ts';
import type { Network } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { encodingName } from '../../text/legacy.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import type { Ask } from '../objects/open-ranges.ts';
import { openRemote } from '../objects/open-remote.ts';
import { withinTime } from '../objects/request-time.ts';
import { charsetOf } from './charset.ts';
import { nameOf } from './page-step.ts';
import type { RangeAnswers } from './range-answers.ts';
import { MOST_FILE, MOST_TEXT } from './web-limits.ts';

/** The most bytes of a body that are read; only the first ones if it will be read by ranges. */
export function mostBytesOf(headers: Headers): number {
  return isLarge(headers) ? FIRST_BYTES : wholeUpTo(headers);
}

const FIRST_BYTES = 64 << 10;

/** The most bytes of a body that is not read by ranges. */
export const wholeUpTo = ({ 'content-type': type = 'text/html' }: Headers): number =>
  /^text\/|json|xml|html/i.test(type) ? MOST_TEXT : MOST_FILE;

/** Whether a file supports ranges and is too large to fetch. Not for pages and data, which are converted as a whole. */
export function isLarge(headers: Headers): boolean {
  const { 'content-type': type = 'text/html', 'content-encoding': packed = 'identity' } = headers;
  return (
    headers['accept-ranges']?.trim().toLowerCase() === 'bytes' &&
    packed === 'identity' &&
    !/html|json|xml/i.test(type) &&
    Number(headers['content-length']) > wholeUpTo(headers)
  );
}

export interface LargeFile {
  /** The URL as it was requested. */
  readonly url: string;
  /** The URL after redirects. */
  readonly finalUrl: string;
  readonly contentType: string;
  readonly rest: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Updated with what is learned about the server. */
  readonly answers: RangeAnswers;
}

/**
 * Undefined if the server announces ranges but has sent the whole file for the first one; this is remembered. Throws as
 * `Network.get` does, `TIMEOUT`, `UNSUPPORTED` if the whole file is sent although ranges worked before, and `NETWORK` for
 * other replies that are not ranges.
 */
export async function openLarge(
  { url, finalUrl, contentType, rest, facts, answers }: LargeFile,
  network: Network,
  call: Call,
): Promise<Resource | undefined> {
  if (answers.known === 'all') return undefined;
  const send = async ({ headers, mostBytes, signal }: Ask) => {
    const response = await withinTime({ name: url, signal }, (until) =>
      network.get(finalUrl, { headers, stored: true, signal: until, mostBytes: () => mostBytes }),
    );
    if (response.status === 206) answers.known = 'ranges';
    else if (response.status === 200 && response.cut) answers.known ??= 'all';
    if ([200, 206, 412, 416].includes(response.status)) return response;
    throw new OrielError('NETWORK', `${quote(url)} is answered with ${response.status}. Use ${url}:fresh.`, {
      next: `${url}:fresh`,
    });
  };
  const place = { name: url, facts: { url: finalUrl }, send, isKnownElsewhere: true as const };
  const resource = await openRemote({ place, rest, file: nameOf(finalUrl), kind: 'web', facts }, call).catch(
    (error: unknown) => {
      if (answers.known === 'all') return undefined;
      throw error;
    },
  );
  if (!resource) return undefined;
  const charset = encodingName(charsetOf(contentType) ?? '');
  if (resource.is !== 'text' || resource.encoding !== 'stored' || resource.selection.encoding !== undefined)
    return resource;
  // For Unicode encodings detection by the bytes is better.
  return charset === undefined || charset.startsWith('utf-')
    ? resource
    : { ...resource, encoding: { as: charset } };
}
