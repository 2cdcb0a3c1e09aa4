/** Documents of which a piece is gone, repeated or changed: what that changes in their text is on record; `vitest -u` writes it. */

import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { test } from 'vitest';
import { answerDocument } from '../../../src/formats/document/child/answer.ts';
import { fixture } from '../../support/documents.ts';
import { changedLines, damagedCopies, expectAsRecorded, withChange } from '../../support/recorded.ts';

/** The reply with its text, or the failure. */
async function converted(bytes: Uint8Array): Promise<string> {
  try {
    const { reply, body } = await answerDocument(
      { want: { kind: 'whole' }, most: 1 << 20 },
      Buffer.from(bytes),
    );
    return `${JSON.stringify(reply, undefined, 1)}\n${Buffer.from(body).toString()}`;
  } catch (error) {
    return String(error);
  }
}

function variantsOf(bytes: Uint8Array, parts: RegExp, count: number): [string, Uint8Array][] {
  const members = unzipSync(bytes);
  const names = Object.keys(members)
    .filter((name) => parts.test(name))
    .toSorted();
  return Array.from({ length: count }, (_, at) => {
    const name = names[at % names.length] ?? '';
    const changed = strToU8(withChange(strFromU8(members[name] ?? new Uint8Array()), at));
    return [`${at} ${name}`, zipSync({ ...members, [name]: changed }, { level: 0 })];
  });
}

test.each([
  ['report.docx', /^word\/\w+\.xml$/, 40],
  ['sheet.xlsx', /^xl\/.*\.xml$/, 30],
  ['slides.pptx', /slides\/|notes.*\d\.xml$|comment/, 20],
  ['report.odt', /^(?:content|styles)\.xml$/, 20],
  ['sheet.ods', /^content\.xml$/, 15],
  ['slides.odp', /^content\.xml$/, 10],
  ['report.epub', /xhtml$|opf$|ncx$/, 20],
] as const)('%s with a changed piece is as recorded', async (name, parts, count) => {
  const bytes = fixture(name);
  const whole = await converted(bytes);
  const variants = new Map(variantsOf(bytes, parts, count));
  await expectAsRecorded(`${name}-changed`, [...variants.keys()], async (variant) =>
    changedLines(whole, await converted(variants.get(variant) ?? bytes)),
  );
});

test.each([
  ['small.rtf', 40],
  ['constructs.doc.gz', 20],
  ['constructs.ppt.gz', 20],
  ['constructs.xls.gz', 20],
  ['deck.ppt.gz', 5],
  ['changes.doc.gz', 10],
  ['symbols.doc.gz', 5],
] as const)('%s with a changed byte is as recorded', async (name, count) => {
  const bytes = fixture(name);
  const whole = await converted(bytes);
  const copies = damagedCopies(name.replace('.gz', ''), bytes, count);
  await expectAsRecorded(`${name.replace('.gz', '')}-changed`, [...copies.keys()], async (copy) =>
    changedLines(whole, await converted(copies.get(copy) ?? bytes)),
  );
});
