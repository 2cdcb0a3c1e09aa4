/** Answers a read of a URL: the page from the session's store, or fetched, with its header. */

import { memoryBytes } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { binarySize } from '../../render/units.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Resource, TextResource } from '../../types/resource.ts';
import type { Spill } from '../../types/session.ts';
import type { Selection } from '../../types/selection.ts';
import { keepOutput } from '../../session/kept-output.ts';
import { sources } from '../table.ts';
import { addressOf } from './address.ts';
import { textOfBytes } from './charset.ts';
import { hasFailed, networkOf, pageOf, type Wanted } from './kept-pages.ts';
import { identityOf, nameOf, subjectOf } from './page.ts';
import { openLarge } from './large.ts';
import type { Page } from './pipeline.ts';
import { threadPage } from './thread-page.ts';
import { PAGE_LINES } from './web-limits.ts';

/** Throws OrielError: `UNSUPPORTED` where the web is away, and what reading throws. */
export async function openPage(target: string, call: Call): Promise<Resource> {
  const { web } = call.settings;
  if (web === false) {
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(target)} is not read: the web is off here. Whoever runs oriel opens it: with --web in a server, without --offline on the command line.`,
    );
  }
  const holds = (name: string): boolean => sources.some((source) => source.holds?.(name) ?? false);
  const { url, rest, fresh } = addressOf(target, holds);
  const selection = rest === '' ? everything : parseBehind(url, rest);
  const raw = selection?.mode === 'raw';
  const part = rest !== '' && rest !== 'raw';
  const page = await pageOrThread({ url, raw, fresh, part, web }, call);
  const { rendering } = page;
  const facts = {
    url,
    finalUrl: page.finalUrl,
    contentType: page.contentType.slice(0, 200),
    method: rendering.method,
    status: page.status,
  };
  if (rendering.method === 'ranges') {
    return openLarge({ url, finalUrl: page.finalUrl, rest, facts }, networkOf(web), call);
  }
  if (rendering.is === 'file' && rendering.method !== 'raw') {
    const { name, bytes } = rendering;
    const resource = await call.open(subjectOf(url, name, bytes, await identityOf(url, bytes), rest));
    return ofWeb(resource, facts, rendering.method === 'linked-document' ? page.notes : []);
  }
  if (!selection) {
    throw new OrielError(
      'BAD_SELECTOR',
      `:${quote(rest)} is not a selector of ${quote(url)}. Use :50-100, :raw, :fresh, or no selector.`,
      { next: url },
    );
  }
  // Of a failure all is shown, whatever lines were asked for.
  const shown = rendering.method === 'failed' ? everything : selection;
  return textResource({ url, page, raw, selection: shown, facts }, call);
}

async function pageOrThread(wanted: Wanted, call: Call): Promise<Page> {
  const thread = await threadPage(wanted, call);
  if (!isOrielError(thread)) return thread ?? pageOf(wanted, call);
  const page = await pageOf(wanted, call).catch(() => {
    call.signal.throwIfAborted();
    throw thread;
  });
  return { ...page, notes: [...page.notes, `github: ${thread.message} This is the page itself`] };
}

/** `said`: what a text has to say beside itself. */
function ofWeb(
  resource: Resource,
  facts: Readonly<Record<string, unknown>>,
  said: readonly string[],
): Resource {
  const told = (text: TextResource): TextResource => ({
    ...text,
    kind: 'web',
    facts: { ...text.facts, ...facts },
    notes: [...(text.notes ?? []), ...said.map((one) => ({ kind: 'said', text: one }) as const)],
  });
  if (resource.is === 'mixed') return { ...resource, kind: 'web', text: told(resource.text) };
  if (resource.is === 'text') return told(resource);
  return { ...resource, kind: 'web', facts: { ...resource.facts, ...facts } };
}

interface Shown {
  readonly url: string;
  readonly page: Page;
  readonly raw: boolean;
  readonly selection: Selection;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function textResource({ url, page, raw, selection, facts }: Shown, call: Call): Promise<TextResource> {
  const bytes = await bytesOf(page, url);
  const kept = raw ? undefined : await keptAs(page, url, call);
  return {
    is: 'text',
    kind: 'web',
    bytes,
    encoding: page.rendering.is === 'text' || bytes.decoded ? 'utf-8' : 'stored',
    selection,
    target: url,
    name: page.rendering.is === 'text' && !asksForSymbols(selection) ? 'page.md' : nameOf(page.finalUrl),
    display: 'lines',
    pageLines: PAGE_LINES,
    editable: false,
    ...((!raw || hasFailed(page)) && { above: headerOf(page) }),
    facts: { ...facts, ...(kept && { artifact: kept.url }) },
    ...(kept && !selection.window && { notes: [{ kind: 'said', text: keptWords(kept) }] }),
  };
}

/** A page is not shown as a map, but code has symbols. */
function asksForSymbols({ mode, symbol }: Selection): boolean {
  return mode === 'outline' || symbol !== undefined;
}

/** What is windowed: the text, or the body itself. Made once for a page: its identity is its content's. */
const texts = new WeakMap<Page, Promise<ByteSource & { readonly decoded?: boolean }>>();

function bytesOf(page: Page, url: string): Promise<ByteSource & { readonly decoded?: boolean }> {
  let made = texts.get(page);
  if (!made) texts.set(page, (made = contentOf(page, url)));
  return made;
}

async function contentOf(page: Page, url: string): Promise<ByteSource & { readonly decoded?: boolean }> {
  const { rendering } = page;
  const withIdentity = async (content: Uint8Array): Promise<ByteSource> =>
    memoryBytes(content, await identityOf(url, content));
  if (rendering.is === 'text' || rendering.bytes.subarray(0, 4096).includes(0))
    return withIdentity(rendering.bytes);
  const { text } = await textOfBytes(rendering.bytes, page.contentType);
  return { ...(await withIdentity(Buffer.from(text))), decoded: true };
}

function headerOf({ finalUrl, contentType, notes, rendering }: Page): string {
  const lines = [
    `URL: ${oneLine(finalUrl)}`,
    `Content-Type: ${oneLine(contentType).slice(0, 200) || 'none'}`,
    `Method: ${rendering.method}`,
    ...(notes.length > 0 ? [`Notes: ${oneLine(notes.join('; '))}`] : []),
  ];
  return `${lines.join('\n')}\n\n---\n`;
}

const NEWLINE = 10;

function keptWords({ url, bytes, capped }: Spill): string {
  return `${capped ? `The first ${binarySize(bytes)}` : 'All'} of it is kept as ${url}`;
}

/** The artifact that holds all of a page that does not fit into one answer. */
async function keptAs(page: Page, url: string, call: Call): Promise<Spill | undefined> {
  if (page.rendering.is !== 'text' || page.rendering.method === 'failed') return undefined;
  const { bytes } = page.rendering;
  if (bytes.length <= call.limits.bytes && !hasLines(bytes, PAGE_LINES)) return undefined;
  try {
    return await keepOutput(bytes, await identityOf(url, bytes), call.session.spills);
  } catch (error) {
    call.signal.throwIfAborted();
    // A full disk does not keep a page from being read.
    if (isOrielError(error)) return undefined;
    throw error;
  }
}

/** Whether there are that many newlines. */
function hasLines(bytes: Uint8Array, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found += 1) {
    at = bytes.indexOf(NEWLINE, at + 1);
    if (at === -1) return false;
  }
  return true;
}
