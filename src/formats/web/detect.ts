/** Web pages: `https://…`, `http://…` and `www.…`. The implementation is imported with the first page. */

import type { Call, Resource } from '../../types/call.ts';

/** Whether `target` is an HTTP URL or begins with `www.`. */
export function isWeb(target: string): boolean {
  return /^https?:/i.test(target) || /^www\.[\p{L}\d-]+\.[\p{L}\d.-]+(?:[/:?#]|$)/iu.test(target);
}

export async function openWeb(target: string, call: Call): Promise<Resource> {
  return (await import('./open.ts')).openWebPage(target, call);
}
