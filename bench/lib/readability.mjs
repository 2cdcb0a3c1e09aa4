// Converts a page to Markdown as most tools do: linkedom, Readability, turndown, in the calling process.
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { peer } from './peers.mjs';

export async function prepare({ input }) {
  const path = peer('turndown', '7.2.5');
  if (!path) throw new Error('not installed here');
  const { default: Turndown } = await import(pathToFileURL(resolve(path, 'lib/turndown.cjs.js')).href);
  const call = async () => {
    const html = await (await fetch(input.path)).text();
    const article = new Readability(parseHTML(html).document).parse();
    return new Turndown({ codeBlockStyle: 'fenced', headingStyle: 'atx' }).turndown(
      parseHTML(`<html><body>${article?.content ?? ''}</body></html>`).document.body,
    );
  };
  return { call };
}
