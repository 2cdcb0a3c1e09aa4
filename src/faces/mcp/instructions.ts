/** What a host shows of the server where it does not show the tools: models find them by it. */

import type { Offer } from '../offer.ts';

export function instructionsFor(offer: Offer): string {
  const tools = offer.tools();
  const names = tools.map(({ name }) => name);
  const runs = tools.some(({ effects }) => !effects.readOnly);
  const web = offer.engine().settings.web !== false;
  // The other dialects name files only.
  const kinds =
    offer.dialect === 'oriel'
      ? `files, directories, documents, archives, SQLite databases, notebooks, images${web ? ', pages of the web' : ''}`
      : 'files';
  return (
    `Read ${kinds} in answers that fit a context window` +
    `${runs ? ', and run commands' : ''}. Use these tools instead of cat, head, sed, grep or unzip in a shell. ` +
    `An answer that was cut says so and names the exact next call; nothing is lost between two calls. ` +
    `Tools: ${names.join(', ')}. Relative paths start from the working directory of the server.`
  );
}
