/**
 * Documents in numbers, damage of every kind, and converters that are ended. The other cases are in ways/cases/documents.ts.
 *
 * @module-tag slow
 */

import { expect, test, vi } from 'vitest';
import { docx, fixture, paragraph, pdf, pdfPages, pdfStream, pdfText, xlsx } from '../support/documents.ts';
import { convertersOf, openDescriptors } from '../support/children.ts';
import { withoutLag } from '../support/lag.ts';
import { codeOf, textOf, unhurried, workspace } from '../support/workspace.ts';

/** A text of over 1 MiB, so large that its conversion lies in a private file. */
const largeText = (name: string): Buffer =>
  docx(Array.from({ length: 2500 }, (_, i) => paragraph(`${name} ${i} ${'word '.repeat(100)}`)).join(''));

test.runIf(process.platform === 'linux')(
  'D20 killed converters and cancelled calls leave nothing open',
  async () => {
    const { write, with: inside } = workspace();
    write('large.docx', largeText('large'));
    write('sheet.xlsx', fixture('sheet.xlsx'));
    write('report.pdf', fixture('report.pdf'));
    const paths = ['large.docx', 'sheet.xlsx:Sales?limit=2', 'report.pdf:p2', 'report.pdf:p1:image'];
    const first = inside({});
    for (const path of paths) expect(codeOf(await first.tool('read').run({ path }))).toBe('OK');
    await first.close();
    const before = openDescriptors();
    let state = 11;
    const random = (most: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % most;
    const seen = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const oriel = inside({});
      const calls = Array.from({ length: 6 }, async (_, i) => {
        const cancel = new AbortController();
        const timer = setTimeout(() => cancel.abort(), random(200));
        const path = paths[random(paths.length)] ?? '';
        const answer = await oriel.tool('read').run({ path }, i % 2 === 0 ? { signal: cancel.signal } : {});
        clearTimeout(timer);
        return codeOf(answer);
      });
      const killer = setInterval(() => {
        const [pid] = convertersOf(process.pid);
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }, 40);
      for (const code of await Promise.all(calls)) seen.add(code);
      clearInterval(killer);
      await oriel.close();
    }
    for (const code of seen) expect(['OK', 'CANCELLED', 'LIMIT']).toContain(code);
    const last = inside({});
    for (const path of paths) expect(codeOf(await last.tool('read').run({ path }))).toBe('OK');
    await last.close();
    await expect.poll(() => openDescriptors()).toBeLessThanOrEqual(before + 6);
    expect(convertersOf(process.pid).length).toBeLessThanOrEqual(2);
  },
);

/** A page whose one form draws ten others, each of which draws ten, twelve levels down. */
function formsWithoutEnd(): Buffer {
  const form = (content: string, resources: string): Buffer =>
    pdfStream(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`);
  const levels = Array.from({ length: 12 }, (_, i) =>
    i === 11 ? form('0 0 5 5 re f', '') : form('/X Do '.repeat(10), `/XObject<</X ${6 + i} 0 R>>`),
  );
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</X 5 0 R>>>>/Contents 4 0 R>>',
    pdfStream('/X Do'),
    ...levels,
  ]);
}

test('D23 PDF with 10^11 forms: reports progress, can be cancelled', async () => {
  const { write, oriel, text } = workspace();
  write('forms.pdf', formsWithoutEnd());
  write('small.pdf', pdfPages([pdfText('hello')]));
  const cancel = new AbortController();
  const said: string[] = [];
  const answer = await oriel.tool('read').run(
    { path: 'forms.pdf:p1:image' },
    {
      signal: cancel.signal,
      onProgress({ message }) {
        said.push(message);
        cancel.abort();
      },
    },
  );
  expect(codeOf(answer)).toBe('CANCELLED');
  expect(said[0]).toMatch(/^converting, \d+ s$/);
  expect(await text('small.pdf')).toContain('hello');
});

test('D21 texts of documents read concurrently are in files', async () => {
  const { write, oriel } = workspace();
  const names = Array.from({ length: 4 }, (_, i) => `large${i}.docx`);
  for (const name of names) write(name, largeText(name));
  const answers = await Promise.all(names.map((path) => oriel.tool('read').run({ path: `${path}:1..1` })));
  for (const [i, answer] of answers.entries()) expect(textOf(answer)).toContain(`large${i}.docx 0 word`);
  const stats = oriel.session.store.stats().get('document');
  expect(stats?.entries).toBe(names.length);
  expect(stats?.weight.disk).toBeGreaterThan(names.length << 20);
  expect(stats?.weight.memory).toBeLessThan(100_000);
});

test('D24 a workbook of 2,000 sheets has a small index', async () => {
  const { write, oriel, read } = workspace(unhurried);
  const sheets = Array.from({ length: 2_000 }, (_, i) => [`${i} ${'N'.repeat(240)}`, ''] as const);
  write('sheets.xlsx', xlsx(sheets, 'one part'));
  const answer = await withoutLag(() => oriel.tool('read').run({ path: 'sheets.xlsx' }));
  expect(textOf(answer)).toContain('## 0 NNN');
  expect(answer.details['meta']).toMatchObject({ document: { sheetCount: 2_000 } });
  expect(JSON.stringify(answer.details).length).toBeLessThan(16_000);
  expect(textOf(await read(`sheets.xlsx:7 ${'N'.repeat(240)}`))).toContain('## 7 NNN');
});

test('D22 without a writable directory small documents are still read', async () => {
  const { write, read } = workspace();
  // No other test's text, which the cache on disk may still have.
  write('large.docx', largeText('unwritten'));
  const file = write('small.docx', docx(paragraph('hello')));
  for (const name of ['TMPDIR', 'XDG_CACHE_HOME']) vi.stubEnv(name, file);
  expect(codeOf(await read('large.docx'))).toBe('LIMIT');
  expect(textOf(await read('small.docx'))).toContain('hello');
});
