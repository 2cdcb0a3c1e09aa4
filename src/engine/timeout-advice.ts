/** The advice in the error of a call that timed out. */

import { endsInCodeQuestion } from '../selector/code-question.ts';
import type { Request } from '../types/request.ts';

const WINDOW = 'Use a smaller window, such as the byte window :@0+64K of a file.';
/** Tags of parsed files are cached, so the same call takes less time. */
const CODE =
  'Make the same call again, which continues with the files that are not parsed yet, or name a smaller directory.';
const SEARCH = 'Use a smaller directory, a glob that matches fewer files, or a literal pattern.';
const DIRECTORY = 'Use a smaller directory.';

const ADVICE: Readonly<Record<Exclude<Request['do'], 'read'>, string>> = {
  lines: WINDOW,
  run: 'Use a longer timeout, or a command that ends sooner.',
  search: SEARCH,
  count: SEARCH,
  find: DIRECTORY,
  symbols: CODE,
  list: DIRECTORY,
};

export function adviceAfterTimeout(request: Request): string {
  if (request.do !== 'read') return ADVICE[request.do];
  const isCode = request.grammar === 'selectors' && endsInCodeQuestion(request.target);
  return isCode ? CODE : WINDOW;
}
