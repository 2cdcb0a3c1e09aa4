/**
 * Damaged documents of each format, through the child process that converts them.
 *
 * @module-tag slow
 */

import { unzipSync } from 'fflate';
import { describe, test } from 'vitest';
import { fixture } from '../support/documents.ts';
import { fc } from '../support/properties.ts';
import { workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';
import { damaged, type Edit, edits } from './damage.ts';
import { fuzz, fuzzTimeout as timeout } from './fuzz.ts';
import { tryContainer } from './targets.ts';

const COUNT = 4;

interface Damage {
  readonly part: number;
  readonly wanted: readonly Edit[];
}

const damage: fc.Arbitrary<Damage> = fc.record({ part: fc.nat(1_000), wanted: edits });

/** The damage lies within a part and not in its compression: the reader of that part gets to see it. */
function damagedPart(bytes: Uint8Array, { part, wanted }: Damage): Uint8Array {
  const parts = Object.entries(unzipSync(bytes)).filter(([name]) => !name.endsWith('/'));
  return zip(
    parts.map(([name, content], i) => ({
      name,
      content: i === part % parts.length ? damaged(content, wanted) : content,
    })),
  );
}

describe('a damaged part of a package is answered', () => {
  for (const name of [
    'report.docx',
    'sheet.xlsx',
    'slides.pptx',
    'report.odt',
    'sheet.ods',
    'slides.odp',
    'report.epub',
  ]) {
    test(name, { timeout }, async () => {
      const made = workspace();
      const bytes = fixture(name);
      await fuzz(name, COUNT, damage, (one) => tryContainer(made, name, damagedPart(bytes, one), [':2']));
    });
  }
});

describe('a damaged document is answered', () => {
  for (const name of ['report.pdf', 'tables.pdf', 'report.doc', 'sheet.xls', 'slides.ppt.gz', 'small.rtf']) {
    test(name, { timeout }, async () => {
      const made = workspace();
      const bytes = fixture(name);
      const as = name.replace('.gz', '');
      const more = as.endsWith('.pdf') ? [':p1'] : [':2'];
      await fuzz(as, COUNT, edits, (wanted) => tryContainer(made, as, damaged(bytes, wanted), more));
    });
  }
});
