/** The dashboard's client of the API: the token of this tab, requests, and the stream of live events. */

import type { FileState, TaskReport, TelemetryEvent } from '../../types/telemetry.ts';
import type { TaskEvents, Tasks, ToolAnswer } from '../client/types.ts';

export interface TaskList extends Tasks {
  readonly lens: boolean;
  readonly file?: ListedFile;
}

export interface ListedFile extends FileState {
  readonly name: string;
}

export type LensFields = Readonly<Record<string, unknown>>;

export interface LensReply {
  readonly dialect: string;
  readonly tool: string;
  readonly input: LensFields;
  readonly answer: ToolAnswer;
  readonly next?: LensFields;
}

/** The key in `sessionStorage`: the token is only in this tab, never in a URL, a cookie or a log. */
const KEY = 'oriel-token';

export function storeToken(token: string): void {
  if (token === '') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** Takes the token from `#token=…`, and removes it from the address. */
export function enter(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', '#/');
  storeToken(token);
}

export class UnauthorizedError extends Error {}

class Busy extends Error {}

/** Milliseconds before each retry. */
const WAITS = [250, 1_000, 4_000];

/** Retries a request without side effects if the connection broke or the server is busy. */
async function askUntilAnswered(path: string, init?: RequestInit): Promise<Response> {
  for (const wait of WAITS) {
    try {
      return await ask(path, init);
    } catch (error) {
      // `fetch` throws a TypeError for a broken connection.
      if (!(error instanceof TypeError || error instanceof Busy)) throw error;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
  return ask(path, init);
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(KEY);
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(init.headers as object),
  };
  const response = await fetch(path, { ...init, headers, cache: 'no-store' });
  if (response.status === 401) throw new UnauthorizedError('The server wants a token.');
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { message?: string };
  const message = problem.message ?? `The server answered ${response.status}.`;
  throw response.status === 503 ? new Busy(message) : new Error(message);
}

async function get<T>(path: string): Promise<T> {
  return (await askUntilAnswered(path)).json() as Promise<T>;
}

export const listTasks = (from: number): Promise<TaskList> =>
  get(`/api/v0/tasks${from === 0 ? '' : `?from=${from}`}`);

export interface TaskKey {
  readonly id: string;
  readonly client?: string | undefined;
}

function taskPath({ id, client }: TaskKey, more: string, query: Record<string, number> = {}): string {
  const parameters = new URLSearchParams(client === undefined ? {} : { client });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const text = parameters.toString();
  return `/api/v0/tasks/${encodeURIComponent(id)}${more}${text === '' ? '' : `?${text}`}`;
}

export const taskReport = (key: TaskKey): Promise<TaskReport> => get(taskPath(key, ''));

export const taskEvents = (key: TaskKey, from: number, limit: number): Promise<TaskEvents> =>
  get(taskPath(key, '/events', { from, limit }));

export async function askLens(question: LensFields): Promise<LensReply> {
  const response = await askUntilAnswered('/api/v0/lens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  return response.json() as Promise<LensReply>;
}

export interface LiveEvents {
  /** Number of events that were dropped because this page was too slow. */
  readonly missed: number;
  readonly events: readonly TelemetryEvent[];
}

/** Reads the stream of live events. Resolves when it has ended. Throws the errors of `fetch`. */
export async function live(
  tell: (events: LiveEvents) => void,
  opened: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { body } = await ask('/api/v0/live', { signal });
  if (!body) return;
  opened();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const messages = (rest + part.value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^event: events\ndata: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) tell(JSON.parse(data) as LiveEvents);
    }
  }
}
