/**
 * The resources of MCP: kept outputs. They are read through the same engine and within the same roots as everything else.
 */

import { pathToFileURL } from 'node:url';
import {
  type CompleteResult,
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { baseLimits } from '../../limits.ts';
import { quote } from '../../text/visible.ts';
import type { RunOptions } from '../../assemble.ts';
import type { Caller } from '../../queues/caller.ts';
import type { KeptSpill } from '../../types/session.ts';
import { withAbsoluteCall } from '../absolute-call.ts';
import type { Offer } from '../offer.ts';
import type { Asker } from '../spaces.ts';
import { DETAILS_KEY } from './tool-result.ts';

const ARTIFACT = 'artifact://';

/** The schemes of resources. No web pages, because a host could be tricked into fetching them. */
const SCHEMES = /^(artifact|file):\/\//i;

/** A complete output, which is read raw, so that it has the size in the list. */
const ALL_OF_ONE = /^artifact:\/\/\d+$/i;

/** Maximum values of a completion in the protocol. */
const MOST_VALUES = 100;

export const artifactTemplate: ResourceTemplateType = {
  uriTemplate: `${ARTIFACT}{id}`,
  name: 'artifact',
  title: 'Kept output',
  description:
    'All of an output of which an answer showed only a part; artifact://3:200-400 is a part of that',
  mimeType: 'text/plain',
};

/** Resources of a page. */
const PAGE = 100;

/** The page after `cursor`; the first page without one. Throws the protocol's error for an invalid cursor. */
export async function listArtifacts(
  offer: Offer,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    const message = `The cursor ${quote(cursor)} is none of this list. List again without one.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const after = Number(cursor ?? -1);
  const following = (await artifactsOf(offer, caller)).filter(({ url }) => numberOf(url) > after);
  const page = following.slice(0, PAGE);
  const last = page.at(-1);
  return {
    resources: page.map(resourceOf),
    ...(following.length > page.length && last && { nextCursor: String(numberOf(last.url)) }),
  };
}

/** A cursor is the number of the last output of the previous page, so that evictions do not shift the pages. */
const CURSOR = /^\d{1,15}$/;

const numberOf = (url: string): number => Number(url.slice(ARTIFACT.length));

function resourceOf({ url, bytes }: KeptSpill): Resource {
  return {
    uri: url,
    name: url.replace(ARTIFACT, 'artifact '),
    mimeType: 'text/plain',
    // Without a size if the output does not fit into an answer: then a read returns only its beginning.
    ...(bytes <= baseLimits.bytes && { size: bytes }),
  };
}

/** The kept outputs, including those of other replicas. */
async function artifactsOf({ engine }: Offer, caller: Caller): Promise<readonly KeptSpill[]> {
  const { spills } = engine(caller).session;
  return (await spills.listAll?.()) ?? spills.list();
}

/** Completes `id`. Only outputs of this process, because it is called for every typed character. */
export function completeArtifact(offer: Offer, caller: Caller, typed: string): CompleteResult['completion'] {
  const ids = offer
    .engine(caller)
    .session.spills.list()
    .map(({ url }) => url.slice(ARTIFACT.length))
    .filter((id) => id.startsWith(typed));
  return { values: ids.slice(0, MOST_VALUES), total: ids.length, hasMore: ids.length > MOST_VALUES };
}

/** Throws for a URI with another scheme, before the roots of the client are determined. */
export function checkResource(uri: string): void {
  if (!SCHEMES.test(uri)) throw new ResourceNotFoundError(quote(uri));
}

/** Reads a URI that `checkResource` accepted. Throws the protocol's errors. */
export async function readResource(
  offer: Offer,
  uri: string,
  options: RunOptions,
  asker: Asker,
): Promise<ReadResourceResult> {
  const answer = await offer.read(ALL_OF_ONE.test(uri) ? `${uri}:raw` : uri, options, asker);
  if (answer.isError) {
    const { message } = answer.details['error'] as { message: string };
    const cwd = pathToFileURL(offer.cwd(asker)).href;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, withAbsoluteCall(message, cwd), {
      uri: quote(uri),
    });
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
