/** The names of kept outputs, and the answer to one that is not there. */

import { OrielError } from '../errors.ts';

const SCHEME = 'artifact://';

export function artifactUrl(number: number): string {
  return `${SCHEME}${number}`;
}

/** Of a URL that `artifactUrl` made. */
export function artifactNumber(url: string): number {
  return Number(url.slice(SCHEME.length));
}

/** `NOT_FOUND`, with `last`, the URL of the last output that was kept, as the next call. */
export function missingArtifact(number: number, last: string | undefined, cause?: unknown): OrielError {
  const said = last === undefined ? 'No output has been kept.' : `The last one kept is ${last}.`;
  return new OrielError('NOT_FOUND', `There is no ${artifactUrl(number)}. ${said}`, {
    next: last ?? '.',
    cause,
  });
}
