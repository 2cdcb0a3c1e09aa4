/** The client of a workspace server: a method for each route that a program needs. */

import { isServerUrl } from './base-url.ts';
import { readEvents } from './events.ts';
import { boundedText, brokenBy, type ClientOptions, type Exchange, sender } from './request.ts';
import { failed, type Result, succeeded } from './result.ts';
import type {
  CallToolOptions,
  Cancel,
  Directory,
  FileBytes,
  FileLines,
  ListDirectoryOptions,
  RateLimitOptions,
  ReadFileLinesOptions,
  ReadFileOptions,
  ShownLine,
  ShownLinesOptions,
  TaskEvents,
  TaskEventsOptions,
  TaskOptions,
  TaskReport,
  Tasks,
  ToolAnswer,
  ToolProgress,
  Tools,
} from './types.ts';

export type { ClientOptions } from './request.ts';
export { type ClientError, type Result, unwrap } from './result.ts';
export type * from './types.ts';

export interface Client {
  /** Numbered lines of the text file at an absolute path. What the file system says is in `success` and `error`. */
  readFileLines(path: string, options?: ReadFileLinesOptions): Promise<Result<FileLines>>;
  /** The bytes of the file at a path, as a stream. */
  readFile(path: string, options?: ReadFileOptions): Promise<Result<FileBytes>>;
  /** The entries of a directory: a path, or its names one by one. */
  listDirectory(
    path?: string | readonly string[],
    options?: ListDirectoryOptions,
  ): Promise<Result<Directory>>;
  /** Where an absolute path leads, links followed. */
  resolvePath(path: string, options?: Cancel): Promise<Result<string>>;
  /** What this client was shown of a file under a tag of the hashline display: the path without links, the tag without `#`. */
  shownLines(path: string, tag: string, options?: ShownLinesOptions): Promise<Result<readonly ShownLine[]>>;
  tools(options?: Cancel): Promise<Result<Tools>>;
  /** Never sent twice: a tool may do more than read. A failure of the tool is an answer with `isError`. */
  callTool(name: string, input: unknown, options?: CallToolOptions): Promise<Result<ToolAnswer>>;
  /** The tasks of this client, with their totals; those of all clients for the operator. */
  tasks(options?: Cancel): Promise<Result<Tasks>>;
  /** The figures of a task, by the name that its calls give it. */
  task(id: string, options?: TaskOptions): Promise<Result<TaskReport>>;
  /** Events of a task as they were recorded. */
  taskEvents(id: string, options?: TaskEventsOptions): Promise<Result<TaskEvents>>;
  /** Tells that the provider of the model has refused a request of the host. */
  reportRateLimit(id: string, limit?: RateLimitOptions): Promise<Result<{ readonly recorded: boolean }>>;
  /** Whether the server lives. */
  health(options?: Cancel): Promise<Result<{ readonly status: 'ok' }>>;
  /** Prometheus text. */
  metrics(options?: Cancel): Promise<Result<string>>;
  /** The OpenAPI 3.1 document. */
  openApi(options?: Cancel): Promise<Result<Readonly<Record<string, unknown>>>>;
}

function refuseUrl(url: string): void {
  if (isServerUrl(url)) return;
  throw new TypeError(`${JSON.stringify(url)} is not the URL of a server. Use http://127.0.0.1:7345.`);
}

/** Nothing is sent before a method is called. Throws TypeError for an invalid `url`. */
export function createClient(options: ClientOptions): Client {
  refuseUrl(options.url);
  const send = sender(options);
  const json = <T>(exchange: Exchange): Promise<Result<T>> =>
    read(exchange, async (response) => JSON.parse(await boundedText(response)));
  const get = <T>(path: string, { signal }: Cancel = {}): Promise<Result<T>> =>
    json({ method: 'GET', path, signal, repeatable: true });

  async function read<T>(
    exchange: Exchange,
    take: (response: Response) => Promise<unknown>,
  ): Promise<Result<T>> {
    const sent = await send(exchange);
    if (!sent.ok) return sent;
    try {
      return succeeded((await take(sent.value)) as T);
    } catch (error) {
      return error instanceof SyntaxError
        ? failed({ kind: 'protocol', message: 'The answer is not valid JSON.' })
        : failed(brokenBy(error, exchange.signal));
    }
  }

  return {
    readFileLines: (path, { offset, limit, signal, task, ...most } = {}) =>
      json({
        method: 'GET',
        path: '/api/v0/read-file-lines',
        query: {
          path,
          offset,
          limit,
          max_file_size: most.maxFileSize,
          max_line_bytes: most.maxLineBytes,
          max_response_lines: most.maxResponseLines,
          max_response_bytes: most.maxResponseBytes,
        },
        headers: taskHeaders({ task }),
        signal,
        repeatable: true,
      }),
    async readFile(path, { relativity, offset, limit, signal } = {}) {
      const query = { path, relativity, offset, limit };
      const sent = await send({ method: 'GET', path: '/api/v0/read-file', query, signal, repeatable: true });
      return sent.ok ? succeeded(bytesOf(sent.value)) : sent;
    },
    listDirectory: (path, { signal, ...body } = {}) =>
      json({
        method: 'POST',
        path: '/api/v0/list-directory',
        body: { ...(path !== undefined && { path }), ...body },
        signal,
        repeatable: true,
      }),
    async resolvePath(path, { signal } = {}) {
      const exchange = {
        method: 'GET',
        path: '/api/v0/resolve-path',
        query: { path },
        signal,
        repeatable: true,
      } as const;
      const result = await json<{ resolved_path: string }>(exchange);
      return result.ok ? succeeded(result.value.resolved_path) : result;
    },
    async shownLines(path, tag, { offset, limit, signal } = {}) {
      const query = { path, tag, offset, limit };
      const exchange = {
        method: 'GET',
        path: '/api/v0/shown-lines',
        query,
        signal,
        repeatable: true,
      } as const;
      const result = await json<{ lines: readonly ShownLine[] }>(exchange);
      return result.ok ? succeeded(result.value.lines) : result;
    },
    tools: (cancel) => get('/api/v0/tools', cancel),
    tasks: (cancel) => get('/api/v0/tasks', cancel),
    task: (id, { client, signal } = {}) =>
      json({ method: 'GET', path: taskPath(id), query: { client }, signal, repeatable: true }),
    taskEvents: (id, { signal, ...query } = {}) =>
      json({
        method: 'GET',
        path: `${taskPath(id)}/events`,
        query: { ...query },
        signal,
        repeatable: true,
      }),
    reportRateLimit: (id, { retryAfter, by, signal } = {}) =>
      json({
        method: 'POST',
        path: `${taskPath(id)}/events`,
        body: {
          kind: 'rate-limit',
          ...(retryAfter !== undefined && { retry_after: retryAfter }),
          ...(by !== undefined && { by }),
        },
        signal,
        repeatable: false,
      }),
    callTool: (name, input, { signal, onProgress, ...about } = {}) =>
      read(
        {
          method: 'POST',
          path: `/api/v0/tools/${encodeURIComponent(name)}`,
          body: input,
          headers: { ...taskHeaders(about), ...(onProgress && { accept: 'text/event-stream' }) },
          signal,
          repeatable: false,
        },
        async (response) =>
          onProgress ? answerIn(response, onProgress) : JSON.parse(await boundedText(response)),
      ),
    health: (cancel) => get('/healthz', cancel),
    metrics: ({ signal } = {}) =>
      read({ method: 'GET', path: '/metrics', signal, repeatable: true }, boundedText),
    openApi: (cancel) => get('/openapi.json', cancel),
  };
}

function taskPath(id: string): string {
  return `/api/v0/tasks/${encodeURIComponent(id)}`;
}

function taskHeaders({
  task,
  totals,
}: Pick<CallToolOptions, 'totals'> & { readonly task?: string | undefined }): Record<string, string> {
  return {
    ...(task !== undefined && { 'oriel-task': encodeURIComponent(task) }),
    ...(totals === true && { 'oriel-totals': '1' }),
  };
}

function bytesOf({ headers, body }: Response): FileBytes {
  return {
    size: Number(headers.get('content-length') ?? 0),
    type: headers.get('content-type') ?? 'application/octet-stream',
    etag: headers.get('etag') ?? '',
    body: body ?? new ReadableStream({ start: (controller) => controller.close() }),
  };
}

/** The last event of a call is its answer. */
async function answerIn(
  { body }: Response,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolAnswer> {
  for await (const { event, data } of readEvents(body ?? new ReadableStream())) {
    if (event === 'answer') return JSON.parse(data) as ToolAnswer;
    if (event === 'progress') onProgress(JSON.parse(data) as ToolProgress);
  }
  throw new Error('the answer ended before it was complete');
}
