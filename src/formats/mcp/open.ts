/** Opens `mcp://`: the list of servers, the resources of one, or a resource with any selector. */

import { resolve } from 'node:path';
import { OrielError } from '../../errors.ts';
import { sha256Of } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import type { McpContent, McpListing, McpRead } from '../../network/mcp-client.ts';
import { binarySize } from '../../render/display.ts';
import { candidates, isSelector, parseBehind, type PathCandidate } from '../../selector/selection.ts';
import { detachedFile, memoryBytes } from '../../text/bytes.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Call, Resource } from '../../types/call.ts';
import type { McpServer, ReachedMcpServer } from '../../types/settings.ts';
import { type CacheAges, createReplyCache, readThrough } from '../reply-cache.ts';
import { asImmutable, listNames, longestNamed, notNamed } from '../resources/names.ts';
import { selectionOf } from '../text/open.ts';
import { askServer, type ReachedServer } from './servers.ts';

/** Throws OrielError: `UNSUPPORTED` if no server may be started, and the errors of a server. */
export async function openMcp(typed: string, call: Call): Promise<Resource> {
  const { mcpServers: servers } = call.settings;
  if (servers === undefined) {
    throw new OrielError(
      'UNSUPPORTED',
      `mcp:// is off here: reading from a server starts its command. The operator of oriel can allow it ${call.settings.operator.mcpServers}.`,
    );
  }
  const names = {
    names: Object.entries(servers).map(([name, server]) => ({ name, about: describe(server) })),
    more: false,
  };
  if (typed === '' || typed.startsWith(':')) return listNames('mcp', typed, names, 'no servers in .mcp.json');
  const name = longestNamed(typed, Object.keys(servers));
  const server = name === undefined ? undefined : servers[name];
  if (name === undefined || server === undefined) throw notNamed('mcp', typed, names);
  if (server.refused !== undefined) throw new OrielError('DENIED', server.refused);
  const reading: Reading = { name, server, call };
  const rest = typed.slice(name.length).replace(/^\//, '');
  if (rest === '' || rest.startsWith(':')) return listing(reading, rest.slice(1));
  return resource(reading, rest);
}

interface Reading {
  readonly name: string;
  readonly server: ReachedMcpServer;
  readonly call: Call;
}

/** The command or origin of a server, without arguments and headers, which may contain secrets. */
function describe(server: McpServer): string {
  if (server.refused !== undefined) return 'not allowed';
  return server.command !== undefined ? server.command : new URL(server.url).origin;
}

/** A read from the start of a text asks the server again; for a while, further pages use the cached content. */
const LIVE: CacheAges = { soft: 0, hard: 0 };
const KEPT: CacheAges = { soft: 5 * 60_000, hard: 5 * 60_000 };

const listings = createReplyCache<McpListing>('mcp-listing', ({ resources, templates }) =>
  [...resources, ...templates].reduce(
    (sum, { uri, about }) => sum + 100 + 2 * (uri.length + about.length),
    0,
  ),
);

const contents = createReplyCache<McpRead>('mcp-contents', ({ parts }) =>
  parts.reduce((sum, { content }) => sum + 200 + 2 * content.length, 0),
);

async function listed(reading: Reading, ages: CacheAges): Promise<McpListing> {
  const reached = reachedBy(reading);
  const ask = (signal: AbortSignal) => askServer(reached, signal, (connection) => connection.list(signal));
  return (await readThrough(listings, factsOf(reading), ages, ask, reading.call)).value;
}

/** What is needed to reach the server. It has no reference to the call, because others may wait for the same reply. */
function reachedBy({ name, server, call }: Reading): ReachedServer {
  return { name, server, cwd: directoryOf(server, call), store: call.session.store };
}

function directoryOf(server: ReachedMcpServer, call: Call): string {
  return resolve(call.access.cwd, server.command === undefined ? '.' : (server.cwd ?? '.'));
}

/** The cache key. It includes where the server is started, because instances may share a session. */
function factsOf({ name, server, call }: Reading): {
  readonly name: string;
  readonly server: string;
  readonly cwd: string;
} {
  return { name, server: JSON.stringify(server), cwd: directoryOf(server, call) };
}

async function listing(reading: Reading, selector: string): Promise<Resource> {
  const target = `mcp://${reading.name}`;
  const selection = selectionOf({ typed: target, rest: selector });
  const { resources, templates, more } = await listed(reading, selection.window ? KEPT : LIVE);
  const line = (uri: string, about: string): string =>
    `${oneLine(`${target}/${uri}`)}${about === '' ? '' : `  ${oneLine(about).slice(0, 200)}`}\n`;
  const lines = [
    ...resources.map(({ uri, about }) => line(uri, about)),
    ...templates.map(({ uri, about }) => line(uri, about === '' ? 'template' : `template: ${about}`)),
  ];
  return {
    kind: 'text',
    format: 'internal',
    bytes: memoryBytes(lines.join('') || `(${quote(reading.name)} lists no resources)\n`),
    encoding: 'utf-8',
    selection,
    target,
    name: 'mcp',
    display: 'plain',
    editable: false,
    notes: more
      ? [{ kind: 'said', text: 'The server has more than are listed; others can be read by their URI' }]
      : undefined,
  };
}

async function resource(reading: Reading, rest: string): Promise<Resource> {
  const { name, call } = reading;
  let refused: unknown;
  let answered: unknown;
  for (const { path: uri, rest: selector } of await waysOf(reading, rest)) {
    const found = await contentOf(reading, uri, selector).catch((error: unknown) => {
      if (!isAnswer(error)) throw error;
      // Keep the server's error for the first URI, which is the most likely one.
      answered ??= error;
      return undefined;
    });
    if (found === undefined) continue;
    const target = `mcp://${name}/${uri}`;
    const [first, ...others] = found.parts;
    if (first === undefined) {
      throw new OrielError('NOT_FOUND', `${quote(target)} is empty. Use mcp://${quote(name)}.`, {
        next: `mcp://${name}`,
      });
    }
    const whole = others.length > 0 ? joined(found.parts, found.more) : first;
    const resource = await opened(whole, target, selector, call).catch((error: unknown) => {
      if (typeof whole.content !== 'string') throw error;
      // The selector does not fit this resource, so it may belong to the URI of another one.
      refused ??= error;
      return undefined;
    });
    if (resource) return resource;
  }
  throw refused ?? answered;
}

function contentOf(reading: Reading, uri: string, selector: string): Promise<McpRead> {
  const reached = reachedBy(reading);
  const facts = { ...factsOf(reading), uri };
  const ages = selector === '' || selector === 'raw' ? LIVE : KEPT;
  const ask = (signal: AbortSignal) =>
    askServer(reached, signal, (connection) => connection.read(uri, signal));
  return readThrough(contents, facts, ages, ask, reading.call).then(({ value }) => value);
}

/** Whether the error is a JSON-RPC error reply, as servers give with various codes for an unknown URI. */
function isAnswer(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'number';
}

const MAX_TRIED_URIS = 16;

/**
 * Candidates for the end of the URI, most likely first, because every URI contains colons. A listed resource wins, then the
 * first colon that is followed only by a selector. After other colons there may be a part of a document, a table or a
 * member; then the longest URI that the server can read wins. A listed URI with a query may belong to a template.
 */
async function waysOf(reading: Reading, rest: string): Promise<PathCandidate[]> {
  const ways = candidates(rest).filter(({ path }) => path === rest || /^[a-z][\w+.-]*:/i.test(path));
  const selected = ways.findLast((way) => way.rest === '' || isSelector(way.rest));
  if (ways.length < 2) return ways;
  const { resources } = await listed(reading, KEPT).catch((error: unknown) => {
    if (isAnswer(error)) return { resources: [] };
    throw error;
  });
  const known = new Set(resources.map(({ uri }) => uri));
  const own = ways.find((way) => known.has(way.path) && !way.rest.startsWith('?'));
  const likely = [own, selected].filter((way) => way !== undefined);
  return [...new Set([...likely, ...ways.slice(0, 1), ...ways.slice(1).slice(-MAX_TRIED_URIS)])].slice(
    0,
    MAX_TRIED_URIS,
  );
}

/** Joins the parts of one resource (such as a directory) to one text, each below its URI. */
function joined(parts: readonly McpContent[], more: boolean): McpContent {
  const texts = parts.map(({ uri, mimeType, content }) => {
    const body =
      typeof content === 'string'
        ? content.replace(/\n?$/, '\n')
        : `(${oneLine(mimeType ?? 'binary')}, ${binarySize(content.length)})\n`;
    return `--- ${oneLine(uri)}\n${body}`;
  });
  if (more) texts.push(`--- (more parts, of which only the first ${parts.length} are shown)\n`);
  return { uri: parts[0]?.uri ?? '', mimeType: 'text/plain', content: texts.join('') };
}

async function opened(
  { mimeType, content }: McpContent,
  target: string,
  selector: string,
  call: Call,
): Promise<Resource> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const identity = Identity.of('mcp', { sha256: await sha256Of(bytes) });
  const source = memoryBytes(bytes, identity);
  const facts = { contentType: mimeType === undefined ? undefined : oneLine(mimeType.slice(0, 200)) };
  if (typeof content === 'string') {
    const selection = parseBehind(target, selector) ?? selectionOf({ typed: target, rest: selector });
    return {
      kind: 'text',
      format: 'internal',
      bytes: source,
      encoding: 'utf-8',
      selection,
      target,
      name: nameOf(target, mimeType),
      display: 'lines',
      editable: false,
      facts,
    };
  }
  const found = await call.open({
    typed: target,
    rest: selector,
    name: nameOf(target, mimeType),
    path: target,
    opened: detachedFile(target, source),
    head: bytes.subarray(0, 4096),
  });
  return asImmutable(found, 'internal', facts);
}

/** The last segment of the URI, with an extension for its media type if it has none, because sources decide by names. */
function nameOf(target: string, mimeType = ''): string {
  const last =
    target
      .replace(/[?#].*$/s, '')
      .split('/')
      .findLast(Boolean) ?? '';
  if (/\.\w{1,8}$/.test(last)) return last;
  const [type = ''] = mimeType.split(';');
  return `${last}${ENDINGS[type.trim().toLowerCase()] ?? ''}`;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'text/markdown': '.md',
  'text/html': '.html',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
};
