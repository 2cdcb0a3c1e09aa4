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

function variantsOf(bytes: Uint8Array, parts: RegExp, count: number): Map<string, Uint8Array> {
  const members = unzipSync(bytes);
  const names = Object.keys(members).filter((name) => parts.test(name));
  const variants = Array.from({ length: count }, (_, at): [string, Uint8Array] => {
    const name = names[at % names.length] ?? '';
    const changed = strToU8(withChange(strFromU8(members[name] ?? new Uint8Array()), at));
    return [`${at} ${name}`, zipSync({ ...members, [name]: changed }, { level: 0 })];
  });
  return new Map(variants);
}

test.each([
  ['report.docx', 40, /^word\/\w+\.xml$/],
  ['sheet.xlsx', 30, /^xl\/.*\.xml$/],
  ['slides.pptx', 20, /slides\/|notes.*\d\.xml$|comment/],
  ['report.odt', 20, /^(?:content|styles)\.xml$/],
  ['sheet.ods', 15, /^content\.xml$/],
  ['slides.odp', 10, /^content\.xml$/],
  ['report.epub', 20, /xhtml$|opf$|ncx$/],
  ['small.rtf', 40, undefined],
  ['constructs.doc.gz', 20, undefined],
  ['constructs.ppt.gz', 20, undefined],
  ['constructs.xls.gz', 20, undefined],
  ['deck.ppt.gz', 5, undefined],
  ['changes.doc.gz', 10, undefined],
  ['symbols.doc.gz', 5, undefined],
] as const)('%s with a changed piece is as recorded', async (file, count, parts) => {
  const [bytes, name] = [fixture(file), file.replace('.gz', '')];
  const whole = await converted(bytes);
  const variants = parts ? variantsOf(bytes, parts, count) : damagedCopies(name, bytes, count);
  await expectAsRecorded(`${name}-changed`, [...variants.keys()], async (variant) =>
    changedLines(whole, await converted(variants.get(variant) ?? bytes)),
  );
});
