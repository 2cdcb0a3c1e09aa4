/** Reads files that are too large to fetch completely by ranges, if their server supports that. */

import { OrielError } from '../../errors.ts';
import type { NetworkAccess, ReplyHeaders } from '../../network/fetch.ts';
import { encodingName } from '../../text/legacy-encoding.ts';
import { quote } from '../../text/visible.ts';
import type { Call, Resource } from '../../types/call.ts';
import type { DerivedKind } from '../../types/session.ts';
import { withinTime } from '../ranges/limits.ts';
import { openRemote, type RangeRequest } from '../ranges/open.ts';
import { charsetOf } from './charset.ts';
import { MAX_WEB_FILE_BYTES, MAX_WEB_TEXT_BYTES } from './limits.ts';
import { nameOf } from './page-step.ts';

/** The most bytes of a body that are read; only the first ones if it will be read by ranges. */
export function maxBodyBytes(headers: ReplyHeaders): number {
  return isLarge(headers) ? INITIAL_FILE_BYTES : wholeUpTo(headers);
}

const INITIAL_FILE_BYTES = 64 << 10;

/** The most bytes of a body that is not read by ranges. */
export const wholeUpTo = ({ 'content-type': type = 'text/html' }: ReplyHeaders): number =>
  /^text\/|json|xml|html/i.test(type) ? MAX_WEB_TEXT_BYTES : MAX_WEB_FILE_BYTES;

/** Whether a file supports ranges and is too large to fetch. Not for pages and data, which are converted as a whole. */
export function isLarge(headers: ReplyHeaders): boolean {
  const { 'content-type': type = 'text/html', 'content-encoding': packed = 'identity' } = headers;
  return (
    headers['accept-ranges']?.trim().toLowerCase() === 'bytes' &&
    packed === 'identity' &&
    !/html|json|xml/i.test(type) &&
    Number(headers['content-length']) > wholeUpTo(headers)
  );
}

interface LargeWebFile {
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
  { url, finalUrl, contentType, rest, facts, answers }: LargeWebFile,
  network: NetworkAccess,
  call: Call,
): Promise<Resource | undefined> {
  if (answers.known === 'all') return undefined;
  const send = async ({ headers, mostBytes, signal }: RangeRequest) => {
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
  const place = { name: url, facts: { url: finalUrl }, send };
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

// Remembers whether a server that announces ranges really supports them, per version of a file.

export interface RangeAnswers {
  /** `ranges` never changes back: a full reply after a range is an error, and the next request may succeed. */
  known: 'ranges' | 'all' | undefined;
}

/** The key is the URL after redirects with the validators of the response. */
export const rangeAnswers: DerivedKind<
  RangeAnswers,
  { readonly etag?: string; readonly lastModified?: string }
> = {
  name: 'web-range-answers',
  weigh: () => ({ memory: 256 }),
};
