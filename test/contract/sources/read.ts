/** Reading a source as the contract suite does: page by page, and as the resource below the pages. */

import { createHash } from 'node:crypto';
import { readAt } from '../../../src/text/bytes.ts';
import { assemble } from '../../../src/assemble.ts';
import { openCall } from '../../../src/call/open-call.ts';
import { findTarget } from '../../../src/target/find-target.ts';
import type { OrielOptions } from '../../../src/index.ts';
import { schemeOf } from '../../../src/formats/resources/table.ts';
import { isWeb, openWeb } from '../../../src/formats/web/detect.ts';
import type { Resource } from '../../../src/types/call.ts';
import { type Called, elsewhere, place, type Place } from '../../support/dialect.ts';
import { notesServer } from '../../support/mcp.ts';
import { type Reader, readers } from '../tools.ts';
import type { Size, SourceCase } from './cases.ts';

const oriel = readers.find(({ dialect }) => dialect === 'oriel') as Reader;

/** Where pages of the web are served. */
export const reachable = { allow: ['127.0.0.1'] } as const;

/** Lines are shown without numbers. */
export function plainPlace(options: OrielOptions = {}): Place {
  return place('oriel', { display: 'plain', now: () => 0, web: reachable, ...options });
}

/** A place of its own with what `source` reads in it. */
export async function placeOf(source: SourceCase, size: Size = 'small'): Promise<Place> {
  const here = plainPlace();
  await source.furnish(here, size);
  return here;
}

/** What an answer shows of the text. Notices begin on a line of their own, also below a last line without an end. */
export function bodyOf(called: Called): string {
  const notices = called.details['notices'] as { kind: string }[] | undefined;
  const isPage = called.details['kind'] === 'web';
  // The header of a page is no part of its text.
  const text = isPage ? called.text.replace(/^URL: [^]*?\n\n---\n/, '') : called.text;
  const body = oriel.body({ ...called, text });
  return notices?.some(({ kind }) => kind === 'unterminated') ? body.replace(/\n$/, '') : body;
}

/** Every answer, from the first to the last, by doing what each one says. */
export async function follow(here: Place, path: string): Promise<Called[]> {
  const pages: Called[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { content, details, isError } = await here.oriel.tool('read').run({ path: next });
    const [block] = content;
    const text = block?.type === 'text' ? block.text : '';
    const called: Called = { text, details, isError, answer: { content, details, isError } };
    if (isError) throw new Error(`${next}: ${text}`);
    pages.push(called);
    if (pages.length > 5000) throw new Error('the answers do not come to an end');
    next = oriel.next(called, { tool: 'read', input: {} })?.input['path'] as string | undefined;
  }
  return pages;
}

export interface Texts {
  /** Of the identity of the bytes; undefined for what is not text. */
  readonly key: string | undefined;
  readonly digest: string | undefined;
}

/** The identity of what `path` names, beside what its bytes are. */
export async function identityOf(here: Place, path: string): Promise<Texts> {
  const { engine, limits } = assemble({
    cwd: here.folder,
    roots: [here.folder],
    session: here.oriel.session,
    agentOutputs: here.folder,
    web: reachable,
    s3: true,
    mcpServers: notesServer(here.folder),
    workspaces: elsewhere,
    now: () => 0,
  });
  const request = { kind: 'read', target: path, grammar: 'selectors' } as const;
  const { call, close } = openCall(engine, { request, limits }, {});
  const open = async (): Promise<Resource> => {
    if (isWeb(path)) return openWeb(path, call);
    const named = schemeOf(path, engine.settings);
    if (named) return named.scheme.open(named.rest, call);
    return call.open((await findTarget(path, 'selectors', call)).subject);
  };
  try {
    const resource = await open();
    const text = resource.kind === 'mixed' ? resource.text : resource;
    if (text.kind !== 'text') return { key: undefined, digest: undefined };
    const bytes = await readAt(text.bytes, 0, text.bytes.size ?? 64 << 20);
    return {
      key: text.bytes.identity.key,
      digest: createHash('sha256').update(bytes).digest('hex'),
    };
  } finally {
    await close();
  }
}
