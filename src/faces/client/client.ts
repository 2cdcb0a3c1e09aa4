/** The client of a workspace server, with a method for each route. */

import {
  boundedText,
  brokenBy,
  type ClientOptions,
  type ClientRequest,
  failed,
  isServerUrl,
  readServerEvents,
  type Result,
  sender,
  type SendRequest,
  succeeded,
} from './client-request.ts';
import type {
  CallToolOptions,
  Cancel,
  Directory,
  FileBytes,
  FileLines,
  ListDirectoryOptions,
  PrivateFiles,
  PrivateFilesOptions,
  RateLimitOptions,
  ReadFileLinesOptions,
  ReadFileOptions,
  TaskEvents,
  TaskEventsOptions,
  TaskOptions,
  TaskReport,
  Tasks,
  ToolAnswer,
  ToolProgress,
  Tools,
} from './types.ts';

export type { ClientOptions } from './client-request.ts';
export { type ClientError, type Result, unwrap } from './client-request.ts';
export * from './types.ts';

export interface Client {
  /** Numbered lines of the text file at an absolute path. Errors of the file system are in `success` and `error`. */
  readFileLines(path: string, options?: ReadFileLinesOptions): Promise<Result<FileLines>>;
  /** The bytes of the file at a path, as a stream. */
  readFile(path: string, options?: ReadFileOptions): Promise<Result<FileBytes>>;
  /** The entries of a directory, which is given as a path or as a list of names. */
  listDirectory(
    path?: string | readonly string[],
    options?: ListDirectoryOptions,
  ): Promise<Result<Directory>>;
  /** The real path of an absolute path. */
  resolvePath(path: string, options?: Cancel): Promise<Result<string>>;
  /** The rules for private files. Only for the operator: `token` is that of `--operator-token-file`. */
  privateFiles(options?: PrivateFilesOptions): Promise<Result<PrivateFiles>>;
  tools(options?: Cancel): Promise<Result<Tools>>;
  /** Calls a tool. Never retried, because a tool may have side effects. A failure of the tool is an answer with `isError`. */
  callTool(name: string, input: unknown, options?: CallToolOptions): Promise<Result<ToolAnswer>>;
  /** The tasks of this client with their totals; for the operator, the tasks of all clients. */
  tasks(options?: Cancel): Promise<Result<Tasks>>;
  /** The report on a task, by the name that its calls have given. */
  task(id: string, options?: TaskOptions): Promise<Result<TaskReport>>;
  /** The recorded events of a task. */
  taskEvents(id: string, options?: TaskEventsOptions): Promise<Result<TaskEvents>>;
  /** Records that the model provider refused a request of the host. */
  reportRateLimit(id: string, limit?: RateLimitOptions): Promise<Result<{ readonly recorded: boolean }>>;
  /** Whether the server is alive. */
  health(options?: Cancel): Promise<Result<{ readonly status: 'ok' }>>;
  /** The metrics in the text format of Prometheus. */
  metrics(options?: Cancel): Promise<Result<string>>;
  /** The OpenAPI 3.1 document. */
  openApi(options?: Cancel): Promise<Result<Readonly<Record<string, unknown>>>>;
}

/** Nothing is sent before a method is called. Throws TypeError for an invalid `url` or `name`. */
export function createClient(options: ClientOptions): Client {
  const { url, name } = options;
  if (!isServerUrl(url))
    throw new TypeError(`${JSON.stringify(url)} is not the URL of a server. Use http://127.0.0.1:7345.`);
  if (name !== undefined && !/^[!-~]{1,200}$/.test(name))
    throw new TypeError(
      `${JSON.stringify(name)} is not a name of a client. Use up to 200 characters of ASCII without blanks.`,
    );
  const asking = new Asking(sender(options));
  return {
    readFileLines: (path, { offset, limit, signal, task, ...most } = {}) =>
      asking.json({
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
      const exchange = { path: '/api/v0/read-file', query, signal } as const;
      const sent = await asking.send({ method: 'GET', ...exchange, repeatable: true });
      return sent.ok ? succeeded(bytesOf(sent.value)) : sent;
    },
    listDirectory: (path, { signal, ...body } = {}) =>
      asking.json({
        method: 'POST',
        path: '/api/v0/list-directory',
        body: { path, ...body },
        signal,
        repeatable: true,
      }),
    async resolvePath(path, cancel) {
      const asked = await asking.get<{ resolved_path: string }>('/api/v0/resolve-path', cancel, { path });
      return asked.ok ? succeeded(asked.value.resolved_path) : asked;
    },
    privateFiles: ({ path, signal } = {}) => asking.get('/api/v0/private', { signal }, { path }),
    tools: (cancel) => asking.get('/api/v0/tools', cancel),
    callTool: (name, input, { signal, onProgress, ...about } = {}) =>
      asking.read(
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
    tasks: (cancel) => asking.get('/api/v0/tasks', cancel),
    task: (id, { client, ...cancel } = {}) => asking.get(taskPath(id), cancel, { client }),
    taskEvents: (id, { signal, ...query } = {}) =>
      asking.get(`${taskPath(id)}/events`, { signal }, { ...query }),
    reportRateLimit: (id, { retryAfter, by, signal } = {}) =>
      asking.json({
        method: 'POST',
        path: `${taskPath(id)}/events`,
        body: {
          kind: 'rate-limit',
          retry_after: retryAfter,
          by,
        },
        signal,
        repeatable: false,
      }),
    health: (cancel) => asking.get('/healthz', cancel),
    metrics: ({ signal } = {}) =>
      asking.read({ method: 'GET', path: '/metrics', signal, repeatable: true }, boundedText),
    openApi: (cancel) => asking.get('/openapi.json', cancel),
  };
}

class Asking {
  readonly send: SendRequest;

  constructor(send: SendRequest) {
    this.send = send;
  }

  get<T>(path: string, { signal }: Cancel = {}, query: ClientRequest['query'] = {}): Promise<Result<T>> {
    return this.json({ method: 'GET', path, query, signal, repeatable: true });
  }

  json<T>(exchange: ClientRequest): Promise<Result<T>> {
    return this.read(exchange, async (response) => JSON.parse(await boundedText(response)));
  }

  async read<T>(exchange: ClientRequest, take: (response: Response) => Promise<unknown>): Promise<Result<T>> {
    const sent = await this.send(exchange);
    if (!sent.ok) return sent;
    try {
      return succeeded((await take(sent.value)) as T);
    } catch (error) {
      return error instanceof SyntaxError
        ? failed({ kind: 'protocol', message: 'The answer is not valid JSON.' })
        : failed(brokenBy(error, exchange.signal));
    }
  }
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

/** Reads the event stream of a call; its last event is the answer. */
async function answerIn(
  { body }: Response,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolAnswer> {
  for await (const { event, data } of readServerEvents(body ?? new ReadableStream())) {
    if (event === 'answer') return JSON.parse(data) as ToolAnswer;
    if (event === 'progress') onProgress(JSON.parse(data) as ToolProgress);
  }
  throw new Error('the answer ended before it was complete');
}
