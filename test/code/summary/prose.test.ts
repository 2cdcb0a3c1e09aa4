import { expect, test } from 'vitest';
import { reader } from '../../support/reader.ts';

const paragraph = (words: string, lines = 12): string => `${words} is described here.\n`.repeat(lines);

test('long Markdown shows its headings with the lines of each', async () => {
  const { write, read } = reader();
  const chapter = (no: number): string =>
    `## Part ${no}\n\n${paragraph(`Part ${no}`)}\n\`\`\`js\nif (a) {\n  b();\n  c();\n  d();\n  e();\n  f();\n}\n\`\`\`\n\n### Detail\n\nShort.\n\n`;
  write(
    'README.md',
    `# Title\n\nWhat it is.\n\n${Array.from({ length: 30 }, (_, no) => chapter(no)).join('')}`,
  );
  const text = await read('README.md');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 << 10);
  expect(text).toMatch(
    /^1\|# Title\n3\|What it is\.\n5-28\|## Part 0 \.\.\.\n30\|### Detail\n32\|Short\.\n34-57\|## Part 1 \.\.\.\n/,
  );
  expect(text).toMatch(/e\.g\. README\.md:7\.\.28, or all of it: README\.md:1\.\.\]$/);
  write('few.md', `# Title\n\n${paragraph('It', 4)}\n${paragraph('More', 600)}`);
  expect(await read('few.md')).toMatch(
    /^1\|# Title\n3\|It is.*\n4\|It is.*\n5-607\|It is described here\. \.\.\.\n/,
  );
});

const body = paragraph('It', 40);

test.each([
  ['a.adoc', '= Title\n\n== One\n', '----\n== no\n----\n', '== Two\n'],
  ['a.adoc', 'Title\n=====\n\nOne\n---\n', '----\n====\n== no\n----\n', '\nTwo\n---\n'],
  ['a.org', '* Title\n** One\n', '#+BEGIN_SRC\n#+begin_example\n** no\n#+END_SRC\n', '** Two\n'],
  ['a.tex', '\\section{Title}\n\\subsection*{One}\\label{o}\n', '% \\section{no}\n', '\\subsection{Two}\n'],
  ['a.rst', 'Title\n=====\n\nOne\n---\n', '\n', '\nTwo\n---\n'],
  ['a.html', '<body>\n<h1>Title</h1>\n<h2>One</h2>\n', '<!-- <h2>no</h2> -->\n', '<h2>Two</h2>\n'],
])('%s: headings with their lines', async (name, before, between, after) => {
  const { write, read } = reader();
  const text = `${before}${body.repeat(8)}${between}${after}${body.repeat(8)}`;
  write(name, text);
  const [map, outline] = [await read(name), await read(`${name}:outline`)];
  expect(Buffer.byteLength(map)).toBeLessThan(2_000);
  for (const word of ['Title', 'One', 'Two']) expect(map).toContain(word);
  expect(outline).toMatch(/Title.*\n.*One.*\n.*Two/);
  expect(outline).not.toContain('no');
});

test('XML shows its outer elements by name and id', async () => {
  const { write, read } = reader();
  const book = (no: number): string =>
    `  <book id="b${no}">\n    <title>Book ${no}</title>\n    <price>\n      <amount>${no}</amount>\n      <unit/>\n    </price>\n  </book>\n`;
  write(
    'a.xml',
    `<?xml version="1.0"?>\n<!-- <no> -->\n<catalog>\n${Array.from({ length: 200 }, (_, no) => book(no)).join('')}</catalog>\n`,
  );
  expect(await read('a.xml:outline')).toContain('[L4-10] <book b0>\n    [L5] <title>\n    [L6-9] <price>\n');
  expect(await read('a.xml')).toMatch(
    /^1-2\|\.\.\.\n3\|<catalog>\n4-8\| {2}<book id="b0"> \.\.\. 2 symbols\n/,
  );
  write('bad.xml', `<a><b>${'<c>\n'.repeat(4_000)}`);
  expect(await read('bad.xml:outline')).toContain('<b>');
});
