/** Owns resources over MCP: what a URI names is read through the same engine, within the same walls, as everything else. */

import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { quote } from '../../text/visible.ts';
import type { Offer } from '../offer.ts';
import { DETAILS_KEY } from './result.ts';

/** What may be read as a resource: never a web page, which a host could be talked into fetching. */
const SCHEMES = /^(artifact|file):\/\//i;

/** Throws the protocol's errors. */
export async function readResource(
  offer: Offer,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  if (!SCHEMES.test(uri)) throw new ResourceNotFoundError(quote(uri));
  const answer = await offer.read(uri, { signal });
  if (answer.isError) {
    const { message } = answer.details['error'] as { message: string };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: quote(uri) });
  }
  return {
    contents: answer.content.map((block) =>
      block.type === 'text'
        ? { uri, mimeType: 'text/plain', text: block.text }
        : { uri, mimeType: block.mimeType, blob: block.data },
    ),
    _meta: { [DETAILS_KEY]: answer.details },
  };
}
