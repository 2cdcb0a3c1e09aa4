/** Sends requests to the server: address, token, retries, and failures as values. */

export interface ClientOptions {
  /** The base URL of the server: `http://127.0.0.1:7345`, or `https://gateway/ws1` behind a gateway. */
  readonly url: string;
  readonly token?: string | undefined;
  /**
   * The name by which the server identifies this client, on every replica and after a restart. Whoever gives the same name
   * can read the outputs that were kept for it. ASCII without spaces; random when absent.
   */
  readonly name?: string | undefined;
  /** Maximum retries of a request without side effects; 2 when absent. */
  readonly retries?: number | undefined;
  /** Replaces the global `fetch`: for a unix socket, a proxy, a test. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface ClientRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request is idempotent, so that it may be retried. */
  readonly repeatable: boolean;
  /** Statuses that are not errors, besides those of success. */
  readonly accepts?: readonly number[] | undefined;
}

export type SendRequest = (exchange: ClientRequest) => Promise<Result<Response>>;

/** Statuses of temporary failures: the server is busy or not ready yet. */
const TEMPORARY = new Set([502, 503, 504, 429]);

const INITIAL_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

export function sender({
  url,
  token,
  // The server identifies its clients by this name, not by connections, and its queues are fair between them.
  name = crypto.randomUUID(),
  retries = 2,
  fetch = globalThis.fetch,
}: ClientOptions): SendRequest {
  const base = serverBaseUrl(url);
  return async (exchange) => {
    const most = exchange.repeatable ? retries : 0;
    for (let attempt = 0; ; attempt += 1) {
      const result = await once(exchange);
      if (result.ok || attempt >= most || !isTemporary(result.error)) return result;
      const waited = await pause(waitOf(result.error) ?? INITIAL_RETRY_MS * 2 ** attempt, exchange.signal);
      if (!waited) return failed(CANCELLED);
    }
  };

  async function once(exchange: ClientRequest): Promise<Result<Response>> {
    const { method, path, query = {}, body, headers, signal, accepts = [] } = exchange;
    const target = new URL(base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    try {
      const response = await fetch(target, {
        method,
        // Redirects are not followed, because the token must not be sent to another server.
        redirect: 'manual',
        headers: {
          'oriel-client': name,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      const isAnswer = response.ok || accepts.includes(response.status);
      return isAnswer ? succeeded(response) : failed(await refusalOf(response));
    } catch (error) {
      return failed(brokenBy(error, signal));
    }
  }
}

const CANCELLED: ClientError = { kind: 'cancelled', message: 'The call was cancelled.' };

/** The error for an exception of `fetch` or of reading the body. */
export function brokenBy(error: unknown, signal: AbortSignal | undefined): ClientError {
  if (signal?.aborted) return CANCELLED;
  const { message, cause } = error as Error & {
    cause?: { code?: string | undefined; message?: string | undefined } | undefined;
  };
  const reason = cause?.code ?? cause?.message;
  const why = reason === undefined ? message : `${message} (${reason})`;
  return { kind: 'network', message: `No answer came: ${why}.` };
}

/** Maximum bytes of a response in memory; those of this API are far smaller. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** Throws if the response exceeds `MAX_RESPONSE_BYTES`: the server is not trusted. */
export async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the answer is larger than 16 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

type Refused = Extract<ClientError, { kind: 'refused' }>;

async function refusalOf(response: Response): Promise<Refused> {
  const said = (await boundedText(response)
    .then(JSON.parse)
    .catch(() => undefined)) as Partial<Refused> | undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'refused',
    status: response.status,
    message: said?.message ?? `The server answered ${response.status}.`,
    code: said?.code,
    next: said?.next,
    validations: said?.validations,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  };
}

function isTemporary(error: ClientError): boolean {
  return error.kind === 'network' || (error.kind === 'refused' && TEMPORARY.has(error.status));
}

function waitOf(error: ClientError): number | undefined {
  const { retryAfter } = error as Partial<Refused>;
  return retryAfter === undefined ? undefined : Math.min(MAX_RETRY_MS, retryAfter * 1000);
}

/** Waits; false if the caller cancelled meanwhile. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

// The results of the client: failures are values with a kind.

export type ClientError =
  /** The server refused the request. `status`: the HTTP status; `code`: a stable error code. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly message: string;
      readonly code?: string | undefined;
      readonly next?: string | undefined;
      readonly validations?: readonly { readonly field: string; readonly detail: string }[] | undefined;
      /** Seconds after which the request may be repeated. */
      readonly retryAfter?: number | undefined;
    }
  /** There was no response: unknown host, broken connection. */
  | { readonly kind: 'network'; readonly message: string }
  /** The caller's signal was aborted. */
  | { readonly kind: 'cancelled'; readonly message: string }
  /** The response is not one of this API. */
  | { readonly kind: 'protocol'; readonly message: string };

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ClientError };

export function succeeded<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(error: ClientError): { ok: false; error: ClientError } {
  return { ok: false, error };
}

/** Returns the value, or throws an Error with the message of the failure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.message, { cause: result.error });
}

// Reads the Server-Sent Events of the tools route.

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Maximum bytes of an event; an answer is far smaller. */
const MAX_SERVER_EVENT_BYTES = 16 * 2 ** 20;

export async function* readServerEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const event = parse(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event) yield event;
    }
    if (rest.length > MAX_SERVER_EVENT_BYTES) throw new Error('an event is larger than 16 MiB');
  }
}

/** Undefined for comments. */
function parse(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { event: fields.get('event') ?? 'message', data };
}

// The base URL of a server: an origin, and possibly the path at which a gateway serves it.

/** Whether it is a valid base URL: `http://host/`, `https://gateway/ws1`, without credentials, query and fragment. */
export function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(href);
}

/** The prefix of all URLs of the API, which identifies the server; without a slash at its end. */
export function serverBaseUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
