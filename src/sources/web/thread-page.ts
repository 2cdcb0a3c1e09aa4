/** Reads GitHub issues and pull requests by their page URLs: with the text and cache of `issue://` and `pr://`. */

import { isOrielError, OrielError } from '../../errors.ts';
import { deadlineOf } from '../../queues/deadline.ts';
import type { Call } from '../../types/call.ts';
import type { WebSettings } from '../../types/settings.ts';
import { isGitHub } from '../github/github-hosts.ts';
import { readThread, type ThreadName } from '../github/open-github.ts';
import { NAME } from '../github/local-repository.ts';
import { text, WHOLE } from './page-step.ts';
import type { Page } from './pipeline.ts';

interface Asked {
  readonly url: string;
  readonly raw: boolean;
  readonly fresh: boolean;
  readonly web: WebSettings;
}

/** The timeout of the API in ms, short enough that the page itself can still be read in the same call. */
const THREAD_MS = 12_000;

/** The thread as a page, or the error of the API; undefined if the URL does not name a thread. */
export async function threadPage(
  { url, raw, fresh, web }: Asked,
  call: Call,
): Promise<Page | OrielError | undefined> {
  const thread = raw ? undefined : threadOf(url);
  if (!thread) return undefined;
  const late = (): Error =>
    new OrielError('TIMEOUT', `Its API took longer than ${THREAD_MS / 1000} seconds.`);
  const deadline = deadlineOf(call.signal, THREAD_MS, late);
  try {
    const within: Call = { ...call, signal: deadline.signal };
    const { bytes, notes } = await readThread(thread, { web, fresh }, within);
    return {
      finalUrl: url,
      status: 200,
      contentType: 'application/json',
      notes,
      rendering: text('github', bytes, WHOLE),
      transient: true,
    };
  } catch (error) {
    call.signal.throwIfAborted();
    if (isOrielError(error)) return error;
    throw error;
  } finally {
    deadline.stop();
  }
}

function threadOf(url: string): ThreadName | undefined {
  const { hostname, pathname } = new URL(url);
  if (!isGitHub(hostname)) return undefined;
  const [, owner = '', name = '', kind, digits] =
    /^\/+([\w.-]+)\/+([\w.-]+)\/+(issues|pull)\/+(\d{1,10})\/*$/.exec(pathname) ?? [];
  const plain = name.replace(/\.git$/, '');
  if (!NAME.test(owner) || !NAME.test(plain)) return undefined;
  return {
    scheme: kind === 'pull' ? 'pr' : 'issue',
    repository: `${owner}/${plain}`,
    number: Number(digits),
  };
}
