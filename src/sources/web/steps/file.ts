/** An image, a document, an archive or a database: opened by its own source. */

import { Identity } from '../../../identity.ts';
import { detectEncoding } from '../../../text/encoding.ts';
import { isBinary } from '../../type-of-bytes.ts';
import { sources } from '../../source-table.ts';
import { cutOf, nameOf, type Step, subjectOf } from '../page-step.ts';

export const fileStep: Step = (page) => {
  const name = nameOf(page.url) || 'page';
  // Only its name and its first bytes are looked at.
  const subject = subjectOf(page.url, name, page.body, Identity.once('body'));
  // UTF-16 is full of zeros, and a mark says that it is text.
  const binary = isBinary(subject.head) && detectEncoding(subject.head).bom === 0;
  // Sites show notebooks as pages, under the names of their files.
  const isNotebook = name.endsWith('.ipynb') && !/^\s*</.test(Buffer.from(subject.head).toString('latin1'));
  const claimed = /^text\/|json$|xml$/.test(page.type) && !binary && !isNotebook;
  const source = claimed ? undefined : sources.find((one) => one.kind !== 'file' && one.claims(subject));
  const method = source?.kind ?? (binary ? 'binary' : undefined);
  return Promise.resolve(method && { is: 'file', method, name, bytes: page.body, ...cutOf(page) });
};
