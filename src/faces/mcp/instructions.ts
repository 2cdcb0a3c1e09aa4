/** The instructions of the server, which hosts show when they hide the tools, so that models find them. */

import { homedir } from 'node:os';
import { parse } from 'node:path';
import { realDirectory } from '../../access/held-roots.ts';
import { within } from '../../access/paths.ts';
import { quote } from '../../text/visible.ts';
import type { Offer } from '../offer.ts';

export function instructionsFor(offer: Offer): string {
  const tools = offer.tools();
  const names = tools.map(({ name }) => name);
  const runs = tools.some(({ effects }) => !effects.readOnly);
  const web = offer.engine().settings.web !== false;
  // Other dialects read only files.
  const kinds =
    offer.dialect === 'oriel'
      ? `files, directories, documents, archives, SQLite databases, notebooks, images${web ? ', pages of the web' : ''}`
      : 'files';
  return (
    `Read ${kinds} in answers that fit a context window` +
    `${runs ? ', and run commands' : ''}. Use these tools instead of cat, head, sed, grep or unzip in a shell. ` +
    `An answer that was cut says so and names the exact next call; nothing is lost between two calls. ` +
    `Tools: ${names.join(', ')}. Relative paths start from the working directory of the server.` +
    wideRoots(offer)
      .map((sentence) => ` ${sentence}`)
      .join('')
  );
}

/** A sentence for each root with a home directory or the whole disk in it: nobody may have meant to serve that. */
export function wideRoots(offer: Offer): string[] {
  const home = realDirectory(homedir());
  return offer.engine().access.roots.flatMap((root) => {
    const isDisk = parse(root).root === root;
    if (!isDisk && (home === undefined || !within(home, root))) return [];
    const what = isDisk ? 'the whole disk' : 'a home directory with its keys and settings';
    return [`This server serves ${quote(root)}, ${what}: to serve less, name a directory when starting it.`];
  });
}
