/** The step for files that the source of their kind opens: an image, a document, an archive or a database. */

import { Identity } from '../../../identity.ts';
import { detectEncoding } from '../../../text/encoding.ts';
import { isBinary } from '../../type-of-bytes.ts';
import { sources } from '../../source-table.ts';
import { cutOf, nameOf, type Step, subjectOf } from '../page-step.ts';

export const fileStep: Step = (page) => {
  const name = nameOf(page.url) || 'page';
  // The identity does not matter here: only the name and the first bytes are examined.
  const subject = subjectOf(page.url, name, page.body, Identity.once('body'));
  // UTF-16 with a byte order mark contains zeros but is text.
  const binary = isBinary(subject.head) && detectEncoding(subject.head).bom === 0;
  // Not the HTML page of a site that shows a notebook under its file name.
  const isNotebook = name.endsWith('.ipynb') && !/^\s*</.test(Buffer.from(subject.head).toString('latin1'));
  const claimed = /^text\/|json$|xml$/.test(page.type) && !binary && !isNotebook;
  const source = claimed ? undefined : sources.find((one) => one.kind !== 'file' && one.claims(subject));
  const method = source?.kind ?? (binary ? 'binary' : undefined);
  return Promise.resolve(method && { is: 'file', method, name, bytes: page.body, ...cutOf(page) });
};
