/** Issues and pull requests of GitHub by the URLs of their pages: the same text, the same cache as `issue://` and `pr://`. */

import { isOrielError, type OrielError } from '../../errors.ts';
import type { Call } from '../../types/call.ts';
import type { WebSettings } from '../../types/settings.ts';
import { readThread, type ThreadName } from '../github/open.ts';
import { text, WHOLE } from './page.ts';
import type { Page } from './pipeline.ts';

interface Asked {
  readonly url: string;
  readonly raw: boolean;
  readonly fresh: boolean;
  readonly web: WebSettings;
}

/** The thread as a page; why the API does not give it; undefined where the URL does not name a thread. */
export async function threadPage(
  { url, raw, fresh, web }: Asked,
  call: Call,
): Promise<Page | OrielError | undefined> {
  const thread = raw ? undefined : threadOf(url);
  if (!thread) return undefined;
  try {
    const { text: content, notes } = await readThread(thread, { web, fresh }, call);
    return {
      finalUrl: url,
      status: 200,
      contentType: 'application/json',
      notes,
      rendering: text('github', content, WHOLE),
      transient: true,
    };
  } catch (error) {
    call.signal.throwIfAborted();
    // The time of a page is over.
    if (!isOrielError(error) || error.code === 'TIMEOUT') throw error;
    return error;
  }
}

function threadOf(url: string): ThreadName | undefined {
  const { hostname, pathname } = new URL(url);
  if (!/^(?:www\.)?github\.com$/.test(hostname)) return undefined;
  const [, repository, kind, digits] =
    /^\/+([\w.-]+\/[\w.-]+)\/+(issues|pull)\/+(\d{1,10})\/*$/.exec(pathname) ?? [];
  if (repository === undefined) return undefined;
  const scheme = kind === 'pull' ? 'pr' : 'issue';
  return {
    scheme,
    repository: repository.replace(/\.git$/, '') as ThreadName['repository'],
    number: Number(digits),
  };
}
