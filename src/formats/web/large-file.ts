/** Reads files that are too large to fetch completely by ranges, if their server supports that. */

import { OrielError } from '../../errors.ts';
import type { NetworkAccess, ReplyHeaders } from '../../network/fetch.ts';
import { encodingName } from '../../text/legacy-encoding.ts';
import { quote } from '../../text/visible.ts';
import type { Call, Resource } from '../../types/call.ts';
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
const wholeUpTo = ({ 'content-type': type = 'text/html' }: ReplyHeaders): number =>
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
  /** The URL after redirects, and its type. */
  readonly page: { readonly finalUrl: string; readonly contentType: string };
  readonly rest: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Throws as `Network.get` does, `TIMEOUT`, `UNSUPPORTED` if the server sends the whole file, and `NETWORK` for other replies. */
export async function openLarge(
  { url, page: { finalUrl, contentType }, rest, facts }: LargeWebFile,
  network: NetworkAccess,
  call: Call,
): Promise<Resource> {
  const send = async ({ headers, mostBytes, signal }: RangeRequest) => {
    const response = await withinTime({ name: url, signal }, (until) =>
      network.get(finalUrl, { headers, stored: true, signal: until, mostBytes: () => mostBytes }),
    );
    if ([200, 206, 412, 416].includes(response.status)) return response;
    throw new OrielError('NETWORK', `${quote(url)} is answered with ${response.status}. Use ${url}:fresh.`, {
      next: `${url}:fresh`,
    });
  };
  const place = { name: url, facts: { url: finalUrl }, send };
  const resource = await openRemote({ place, rest, file: nameOf(finalUrl), format: 'web', facts }, call);
  const charset = encodingName(charsetOf(contentType) ?? '');
  if (resource.kind !== 'text' || resource.encoding !== 'stored' || resource.selection.encoding !== undefined)
    return resource;
  // For Unicode encodings detection by the bytes is better.
  return charset === undefined || charset.startsWith('utf-')
    ? resource
    : { ...resource, encoding: { as: charset } };
}
