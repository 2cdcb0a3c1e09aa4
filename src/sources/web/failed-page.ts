/** The answer for a page with an error status: the status, advice, and the text of the server. */

import { oneLine } from '../../text/visible.ts';
import { convert, pageJob, textOf } from './convert-page.ts';
import { type Fetched, isHtml, type Rendering, text, type Visit, WHOLE } from './page-step.ts';

/** The most characters and lines of the server's text. */
const MOST_SAID = 2_000;
const MOST_LINES = 60;

/** With `raw` the body is shown unconverted. */
export async function failedPage(page: Fetched, raw: boolean, visit: Visit): Promise<Rendering> {
  visit.notes.push(`HTTP ${page.status}: ${adviceFor(page)}`);
  if (raw) return text('failed', await page.text(), page);
  const said = (await saidBy(page, visit)).trim();
  const shown = said.split('\n', MOST_LINES).join('\n').slice(0, MOST_SAID).toWellFormed();
  const more =
    shown.length < said.length ? `…\n\n(The server says more. Use ${visit.url}:raw for all of it.)` : '';
  return text('failed', `${shown || '(The server says nothing more.)'}${more}\n`, WHOLE);
}

async function saidBy(page: Fetched, visit: Visit): Promise<string> {
  const content = await page.text();
  if (content.includes('\0')) return '';
  if (!isHtml(page, content)) return content;
  const converted = await convert(pageJob(page), content, visit.signal);
  return converted ? textOf(converted) : '';
}

function adviceFor({ status, url, headers }: Fetched): string {
  const again = `use the same call ${laterBy(headers['retry-after'])}`;
  if (status === 429) return `the server has received too many requests, ${again}`;
  if (status >= 500) return `the server has failed, ${again}`;
  switch (status) {
    case 304:
      return 'the server says that nothing has changed, but no copy is cached; use the same call with :fresh';
    case 401:
    case 402:
    case 403:
    case 407:
      return 'the server requires a login or other access, and pages are read without credentials; use another source';
    case 404:
    case 410: {
      const what = status === 404 ? 'there is nothing at this URL' : 'it has been removed permanently';
      const { origin, href } = new URL(url);
      const top = `${origin}/`;
      return href === top ? what : `${what}; use ${top} to look for it`;
    }
    case 451:
      return 'it may not be shown for legal reasons; use another source';
    default:
      return `the server does not answer this request; use another URL`;
  }
}

/** When to try again: "in 60 seconds", "after Wed, 21 Oct 2026 07:28:00 GMT". */
function laterBy(after: string | undefined): string {
  if (after === undefined) return 'later';
  return /^\d{1,6}$/.test(after) ? `in ${Number(after)} seconds` : `after ${oneLine(after).slice(0, 40)}`;
}
