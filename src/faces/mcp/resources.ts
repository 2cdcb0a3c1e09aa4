/**
 * Owns resources over MCP: outputs that were kept in full. What a URI names is read through the same engine, within
 * the same walls, as everything else.
 */

import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { quote } from '../../text/visible.ts';
import type { RunOptions } from '../../assemble.ts';
import type { Offer } from '../offer.ts';
import { DETAILS_KEY } from './tool-result.ts';

const ARTIFACT = 'artifact://';

/** What may be read as a resource: never a web page, which a host could be talked into fetching. */
const SCHEMES = /^(artifact|file):\/\//i;

/** At most a hundred values: what the protocol allows in one completion. */
const MOST_VALUES = 100;

export const artifactTemplate: ResourceTemplateType = {
  uriTemplate: `${ARTIFACT}{id}`,
  name: 'artifact',
  title: 'Kept output',
  description:
    'All of an output of which an answer showed only a part; artifact://3:200-400 is a part of that',
  mimeType: 'text/plain',
};

export function listArtifacts({ engine }: Offer): Resource[] {
  return engine.session.spills.list().map(({ url, bytes }) => ({
    uri: url,
    name: url.replace(ARTIFACT, 'artifact '),
    mimeType: 'text/plain',
    size: bytes,
  }));
}

/** Values of `id` that begin with what was typed. */
export function completeArtifact({ engine }: Offer, typed: string): CompleteResult['completion'] {
  const ids = engine.session.spills
    .list()
    .map(({ url }) => url.slice(ARTIFACT.length))
    .filter((id) => id.startsWith(typed));
  return { values: ids.slice(0, MOST_VALUES), total: ids.length, hasMore: ids.length > MOST_VALUES };
}

/** Throws the protocol's errors. */
export async function readResource(
  offer: Offer,
  uri: string,
  options: RunOptions,
): Promise<ReadResourceResult> {
  if (!SCHEMES.test(uri)) throw new ResourceNotFoundError(quote(uri));
  const answer = await offer.read(uri, options);
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
