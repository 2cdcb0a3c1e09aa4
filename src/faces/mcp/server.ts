/** The MCP server: tools and resources, in every protocol version that the SDK serves. */

import { homedir } from 'node:os';
import { parse } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type CompleteResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  isInputRequiredResult,
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { RunOptions } from '../../assemble.ts';
import { explained, report } from '../../call/unexpected.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { version } from '../../files/package-files.ts';
import { isPathWithin } from '../../files/paths.ts';
import { type NarrowedRoots, realDirectory } from '../../files/roots.ts';
import type { Caller } from '../../queues/caller.ts';
import { LruMap } from '../../session/snapshots.ts';
import { artifactNumber } from '../../session/spills.ts';
import { baseLimits } from '../../text/limits.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { KeptSpill } from '../../types/session.ts';
import type { McpOrigin, TraceOrigin } from '../../types/telemetry.ts';
import { makesResourceTools, mayRunScripts, runsScripts, withAbsoluteCall } from '../hosts.ts';
import type { AnswerReceiver, ServerOffer } from '../offer.ts';
import { CallServer } from './call-server.ts';
import {
  DETAILS_KEY,
  hostIn,
  progressTo,
  splitScript,
  toolDefinition,
  toolResult,
  wantsDetails,
} from './tool-result.ts';

export interface McpOptions {
  /** Also return details in `structuredContent`. */
  readonly structured?: boolean | undefined;
  /** The name of the client program, if the protocol does not include it. */
  readonly host?: string | undefined;
  /** The caller of the requests; a new one when absent. */
  readonly caller?: Caller | undefined;
  /** The transport as OpenTelemetry names it: `pipe` for stdio; `tcp` when absent. */
  readonly transport?: McpOrigin['transport'] | undefined;
  /** Receives sentences for the log about a client that does something wrong. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Called for each list of tools and each call. */
  readonly onUsed?: (() => void) | undefined;
  /** Called after each answer to a call, with the name of the client. */
  readonly onAnswered?: ((client: string) => void) | undefined;
}

/** Milliseconds for which a client may cache the list of tools, which does not change while the server runs. */
const TOOLS_FRESH_MS = 3_600_000;

const NAMELESS =
  'The client gives no name: unless --limits says otherwise, its answers have at most 19,500 characters and 1,990 lines.';

/** Sentences about clients that are remembered, so that the log has each once. */
const MAX_REMEMBERED_WARNINGS = 100;

/** Writes a sentence unless it is among the last that were written. */
export function eachOnce(write: (sentence: string) => void): (sentence: string) => void {
  const said = new LruMap<true>(MAX_REMEMBERED_WARNINGS);
  return (sentence) => {
    if (said.get(sentence)) return;
    said.set(sentence, true);
    write(sentence);
  };
}

/** How the SDK begins what it reports of the messages of a client. */
const OF_CLIENT = /^(?:Bad Request|Unsupported|Rejected|Invalid|Conflict|Received a|Era mismatch|Dropped)\b/;

/** Receives what the SDK reports: what a client does wrong is for the log, anything else a bug. */
export function sdkErrors({ engine }: Pick<ServerOffer, 'engine'>, warn: McpOptions['warn']) {
  return (error: Error): void => {
    if (OF_CLIENT.test(error.message)) warn?.(quote(error.message));
    else report(engine().onError, explained(error));
  };
}

interface CalledTool {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export function createMcpServer(
  offer: ServerOffer,
  { structured = false, host, caller: given, transport = 'tcp', warn, onUsed, onAnswered }: McpOptions = {},
): CallServer {
  const caller = given ?? {};
  const server = new CallServer(
    { name: 'oriel', title: 'oriel', version: version() },
    {
      instructions: instructionsFor(offer),
      capabilities: { tools: {}, resources: {}, completions: {} },
      cacheHints: { 'tools/list': { ttlMs: TOOLS_FRESH_MS, cacheScope: 'private' } },
    },
  );
  server.warn = warn;
  server.hidesResources = (client) => makesResourceTools({ name: client ?? host ?? '' });
  Object.assign(server, { onerror: sdkErrors(offer, warn) });
  if (!given) Object.assign(server, { onclose: () => void offer.forget(caller) });
  const rootsFor = offer.narrow ? rootsOf(server, offer.narrow) : () => Promise.resolve(undefined);
  const askerOf = (context: ServerContext, roots?: NarrowedRoots) => {
    const { mcpReq } = context;
    const asker = hostIn(mcpReq, server.getClientVersion()?.name ?? host);
    if (asker.name === '') warn?.(NAMELESS);
    return { host: { ...asker, structured: structured || undefined }, caller, roots: roots || undefined };
  };
  /** Calls `answer` for the sender of the request, inside its declared roots; or returns the request for these roots. */
  const inside = async <A>(
    context: ServerContext,
    answer: (asker: ReturnType<typeof askerOf>) => Promise<A>,
  ): Promise<A | InputRequiredResult> => {
    onUsed?.();
    try {
      const roots = await rootsFor(context);
      return isInputRequiredResult(roots) ? roots : await answer(askerOf(context, roots));
    } catch (error) {
      if (isOrielError(error)) warn?.(oneLine(error.message));
      throw isOrielError(error) ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
    }
  };

  server.setRequestHandler('tools/list', (_request, context) => {
    onUsed?.();
    // There is time until the model's first call.
    void offer.prepare();
    const asker = askerOf(context);
    const declared = { structured, scripts: mayRunScripts(asker.host), deferred: offer.deferred };
    return { tools: offer.tools(asker).map((tool) => toolDefinition(tool, declared)) };
  });
  const call = (params: CalledTool, context: ServerContext): Promise<CallToolResult | InputRequiredResult> =>
    inside(context, async (asker) => {
      const { host: asking } = asker;
      const given = params.arguments ?? {};
      const { script, input } = mayRunScripts(asking) ? splitScript(given) : { script: false, input: given };
      const tool = offer.find(params.name, script ? { ...asker, host: { ...asking, script } } : asker);
      if (isOrielError(tool)) throw tool;
      const progress = progressTo(context, caller);
      const answer = await offer.call(tool, input, {
        signal: context.mcpReq.signal,
        caller,
        host: asking.name,
        ...taskIn(context),
        trace: traceIn(context, 'tools/call', transport),
        onProgress: progress?.tell,
      });
      progress?.end();
      onAnswered?.(asking.name);
      const { code, message } = Object(answer.details['error']) as { code?: string; message?: string };
      if (code === 'BAD_INPUT') warn?.(oneLine(`${tool.name}: ${message}`));
      const detailed = wantsDetails(context.mcpReq._meta);
      return toolResult(answer, { structured, scripts: runsScripts(asking), detailed });
    });
  server.setRequestHandler('tools/call', ({ params }, context) => call(params, context));
  server.answerPlainCalls(call);
  server.setRequestHandler('resources/list', ({ params }) => listArtifacts(offer, caller, params?.cursor));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [artifactTemplate] }));
  server.setRequestHandler('resources/read', ({ params }, context) => {
    checkResource(params.uri);
    const options = {
      signal: context.mcpReq.signal,
      caller,
      ...taskIn(context),
      trace: traceIn(context, 'resources/read', transport),
    };
    const detailed = wantsDetails(context.mcpReq._meta);
    return inside(context, (asker) => readResource(offer, params.uri, { ...options, detailed }, asker));
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const known =
      ref.type === 'ref/resource' && ref.uri === artifactTemplate.uriTemplate && argument.name === 'id';
    return { completion: known ? await completeArtifact(offer, caller, argument.value) : { values: [] } };
  });
  return server;
}

/** Keys in `_meta` with which a call names its task and requests the task's totals. */
const TASK_KEY = 'io.github.oriel/task';
const TOTALS_KEY = 'io.github.oriel/totals';

function taskIn({ mcpReq }: ServerContext): Pick<RunOptions, 'task' | 'totals'> {
  const meta = Object(mcpReq._meta) as Readonly<Record<string, unknown>>;
  const task = meta[TASK_KEY];
  return {
    task: typeof task === 'string' ? task : undefined,
    totals: meta[TOTALS_KEY] === true || undefined,
  };
}

/** The trace context, which OpenTelemetry puts into `_meta`. */
function traceIn(
  { mcpReq, sessionId }: ServerContext,
  method: string,
  transport: McpOrigin['transport'],
): TraceOrigin {
  const { traceparent, tracestate } = Object(mcpReq._meta) as Readonly<Record<string, unknown>>;
  return {
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    mcp: { method, transport, requestId: String(mcpReq.id), sessionId },
  };
}

// The resources of MCP: kept outputs. They are read through the same engine and within the same roots as everything else.

const ARTIFACT = 'artifact://';

/** The schemes of resources. No web pages, because a host could be tricked into fetching them. */
const SCHEMES = /^(artifact|file):\/\//i;

/** A complete output, which is read raw, so that it has the size in the list. */
const ALL_OF_ONE = /^artifact:\/\/\d+$/i;

/** Maximum values of a completion in the protocol. */
const MAX_COMPLETION_VALUES = 100;

const artifactTemplate: ResourceTemplateType = {
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
  offer: ServerOffer,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    const message = `The cursor ${quote(cursor)} is none of this list. List again without one.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  const after = Number(cursor ?? -1);
  const { spills } = offer.engine(caller).session;
  // Including those of other replicas.
  const all = (await spills.listAll?.()) ?? spills.list();
  const following = all.filter(({ url }) => artifactNumber(url) > after);
  const page = following.slice(0, PAGE);
  const last = page.at(-1);
  return {
    resources: page.map(resourceOf),
    nextCursor: following.length > page.length && last ? String(artifactNumber(last.url)) : undefined,
  };
}

/** A cursor is the number of the last output of the previous page, so that evictions do not shift the pages. */
const CURSOR = /^\d{1,15}$/;

function resourceOf({ url, bytes }: KeptSpill): Resource {
  return {
    uri: url,
    name: url.replace(ARTIFACT, 'artifact '),
    mimeType: 'text/plain',
    // Without a size if the output does not fit into an answer: then a read returns only its beginning.
    ...(bytes <= baseLimits.bytes && { size: bytes }),
  };
}

/** Completes `id`. Only outputs of this process, because it is called for every typed character. */
function completeArtifact(offer: ServerOffer, caller: Caller, typed: string): CompleteResult['completion'] {
  const ids = offer
    .engine(caller)
    .session.spills.list()
    .map(({ url }) => url.slice(ARTIFACT.length))
    .filter((id) => id.startsWith(typed));
  return {
    values: ids.slice(0, MAX_COMPLETION_VALUES),
    total: ids.length,
    hasMore: ids.length > MAX_COMPLETION_VALUES,
  };
}

/** Throws for a URI with another scheme, before the roots of the client are determined. */
function checkResource(uri: string): void {
  if (!SCHEMES.test(uri)) throw new ResourceNotFoundError(quote(uri));
}

/** Reads a URI that `checkResource` accepted. Throws the protocol's errors. */
async function readResource(
  offer: ServerOffer,
  uri: string,
  { detailed, ...options }: RunOptions & { readonly detailed: boolean },
  asker: AnswerReceiver,
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
    _meta: detailed ? { [DETAILS_KEY]: answer.details } : undefined,
  };
}

// Asks a client for its roots, and caches the answer until the client reports a change.

/** Timeout in milliseconds for the client's answer: hosts that have just started on a busy machine take seconds. */
const ROOTS_MS = 10_000;

/** Maximum roots, because each is looked up before a call. */
const MAX_CLIENT_ROOTS = 100;

/** The key of the answer of a client with protocol 2026-07-28. */
const KEY = 'roots';

type Narrow = (declared: readonly string[]) => Promise<NarrowedRoots>;

/**
 * The declared roots that are inside those of the server; undefined if the client declares none, also if its list is empty: such
 * clients have no directory open, and ask for no boundary. In protocol 2026-07-28 a
 * server does not send requests: it replies that it needs the roots, and the client calls again with them. Throws OrielError
 * (`OUTSIDE_ROOT`) if roots are declared but cannot be determined, or none of them is inside: then nothing may be read.
 */
function rootsOf(
  server: Server,
  narrow: Narrow,
): (context: ServerContext) => Promise<NarrowedRoots | undefined | InputRequiredResult> {
  let asked: { readonly roots: Promise<NarrowedRoots | undefined>; readonly by: AbortSignal } | undefined;
  const narrowed = async (declared: readonly unknown[]): Promise<NarrowedRoots | undefined> =>
    declared.length === 0 ? undefined : narrow(pathsOf(declared));
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    asked = undefined;
  });

  async function ask(context: ServerContext): Promise<NarrowedRoots | undefined> {
    const others = asked;
    // If the call that made the shared request was cancelled, the request is made again.
    if (others)
      return others.roots.catch((error) => (others.by.aborted ? ask(context) : Promise.reject(error)));
    const roots = listRoots(context).then(narrowed);
    const mine = { roots, by: context.mcpReq.signal };
    asked = mine;
    try {
      return await roots;
    } catch (error) {
      if (asked === mine) asked = undefined;
      throw error;
    }
  }

  return async (context) => {
    const { envelope, inputResponses } = context.mcpReq;
    if (!envelope) return server.getClientCapabilities()?.roots && ask(context);
    const capabilities = Object(Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY)) as { roots?: unknown };
    if (!capabilities.roots) return undefined;
    if (!inputResponses) return inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } });
    const told = inputResponse(inputResponses, KEY);
    if (told.kind !== 'roots') throw unknown();
    return narrowed(told.roots);
  };
}

/** Sends the request in the stream of the call, because over HTTP there is no other. */
async function listRoots({ mcpReq }: ServerContext): Promise<readonly unknown[]> {
  try {
    const { roots } = await mcpReq.send({ method: 'roots/list' }, rootList, {
      timeout: ROOTS_MS,
      signal: mcpReq.signal,
    });
    return roots;
  } catch (error) {
    // A client that does not implement the request has no roots, even if it declares the capability.
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return [];
    throw unknown(error);
  }
}

function unknown(cause?: unknown): OrielError {
  return new OrielError(
    'OUTSIDE_ROOT',
    'The client declared roots but did not list them as file:// URLs, so nothing is read. Make the same call again when it does; over HTTP it must accept text/event-stream for that.',
    { cause },
  );
}

/** The SDK's schema would refuse the whole list for one root that is not a file URL. */
const rootList = z.object({ roots: z.array(z.unknown()) });

/** Paths of the roots, without those that are not local files. Throws OrielError if there are no others. */
function pathsOf(roots: readonly unknown[]): string[] {
  if (roots.length > MAX_CLIENT_ROOTS) {
    const message = `The client declares ${roots.length} roots: at most ${MAX_CLIENT_ROOTS} are looked up. Declare a directory that holds them.`;
    throw new OrielError('OUTSIDE_ROOT', message);
  }
  const uris = roots.map((root) => String((Object(root) as { uri?: unknown }).uri));
  const paths = uris.flatMap((uri) => {
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
  if (paths.length > 0) return paths;
  const message = `The client declares the root ${quote(uris[0] ?? '')}, which is not the URL of a local directory, so nothing can be read. Declare one such as file:///home/me/project.`;
  throw new OrielError('OUTSIDE_ROOT', message);
}

// The instructions of the server, which hosts show when they hide the tools, so that models find them.

export function instructionsFor(offer: ServerOffer): string {
  const tools = offer.tools();
  const [reader, searcher] = [/^read/, /^grep$/].map(
    (name) => tools.find((tool) => name.test(tool.name))?.name,
  );
  const runs = tools.some(({ effects }) => !effects.readOnly);
  const web = offer.engine().settings.web !== false;
  // Other dialects read only files.
  const kinds =
    offer.dialect === 'oriel'
      ? `any file or directory: built-in readers show no documents, archives, databases${web ? ', pages of the web' : ''}`
      : 'any file';
  return [
    reader && `Call ${reader} for ${kinds}.`,
    searcher && `Call ${searcher} to search.`,
    runs && 'Call bash to run commands.',
    // Its tools say so themselves.
    offer.dialect !== 'oriel' && "Relative paths start from the server's working directory.",
    ...wideRoots(offer),
  ]
    .filter(Boolean)
    .join(' ');
}

/** A sentence for each root with a home directory or the whole disk in it: nobody may have meant to serve that. */
export function wideRoots(offer: ServerOffer): string[] {
  const home = realDirectory(homedir());
  return offer.engine().access.roots.flatMap((root) => {
    const isDisk = parse(root).root === root;
    if (!isDisk && (home === undefined || !isPathWithin(home, root))) return [];
    const what = isDisk ? 'the whole disk' : 'a home directory with its keys and settings';
    return [`This server serves ${quote(root)}, ${what}: to serve less, name a directory when starting it.`];
  });
}
