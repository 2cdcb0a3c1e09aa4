/**
 * Text hidden in Word and LibreOffice is not shown, and no visible text is lost with it.
 */

import { expect, test } from 'vitest';
import { unzipSync, zipSync } from 'fflate';
import { docx, fixture } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

async function shown(name: string, content: Buffer): Promise<string> {
  const { write, text } = workspace(unhurried);
  write(name, content);
  // `unseen.test.ts` has the notice.
  return (await text(`${name}:raw`)).replace('[Not shown: hidden text]', '');
}

const SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

const styled = (id: string, text: string, properties = ''): string =>
  `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${run(text, properties)}</w:p>`;

const was = (properties: string): string =>
  `<w:rPrChange w:id="1" w:author="Ann"><w:rPr>${properties}</w:rPr></w:rPrChange>`;

const style = (type: string, id: string, content: string): string =>
  `<w:style w:type="${type}" w:styleId="${id}">${content}</w:style>`;

const HIDES = '<w:rPr><w:vanish/></w:rPr>';

const wordStyles = `<w:styles ${SPACE}>${[
  style('character', 'Secret', HIDES),
  style('character', 'Child', '<w:basedOn w:val="Secret"/>'),
  style('character', 'Back', '<w:basedOn w:val="Child"/><w:rPr><w:vanish w:val="0"/></w:rPr>'),
  style('character', 'Was', `<w:rPr>${was('<w:vanish/>')}</w:rPr>`),
  style('character', 'Orphan', '<w:basedOn w:val="Nowhere"/>'),
  style('paragraph', 'Aside', HIDES),
  style('paragraph', 'AsideToo', '<w:basedOn w:val="Aside"/>'),
  style('table', 'Rows', `<w:tblStylePr w:type="firstRow">${HIDES}</w:tblStylePr>`),
].join('')}</w:styles>`;

const word = (body: string, parts: Readonly<Record<string, string>> = {}): Promise<string> =>
  shown('a.docx', docx(body, '', { 'word/styles.xml': wordStyles, ...parts }));

test('docx: tracked formatting is shown as it is now', async () => {
  const body = [
    run('one '),
    run('two ', `<w:i w:val="0"/>${was('<w:vanish/>')}`),
    run('three ', was('<w:rStyle w:val="Secret"/>')),
    run('four ', '<w:rStyle w:val="Was"/>'),
    run('GONE ', `<w:vanish/>${was('<w:vanish w:val="0"/>')}`),
    run('five', was('<w:vanish/>')),
  ];
  expect(await word(`<w:p>${body.join('')}</w:p>`)).toBe('one two three four five\n');
});

test('docx: paragraph styles and base styles hide text', async () => {
  const body = [
    `<w:p>${run('one ')}${run('GONE ', '<w:rStyle w:val="Child"/>')}${run('two ', '<w:rStyle w:val="Back"/>')}${run('three ', '<w:rStyle w:val="Orphan"/>')}${run('four', '<w:rStyle w:val="Aside"/>')}</w:p>`,
    styled('Aside', 'GONE'),
    styled('AsideToo', 'GONE'),
    styled('Aside', 'five', '<w:vanish w:val="0"/>'),
    // Two styles at once turn each other round.
    styled('Aside', 'six', '<w:rStyle w:val="Secret"/>'),
    styled('Aside', 'six-too', '<w:rStyle w:val="Back"/>'),
    styled('Secret', 'seven'),
    styled('Rows', 'eight'),
    `<w:p><w:pPr><w:pPrChange w:id="1" w:author="Ann"><w:pPr><w:pStyle w:val="Aside"/></w:pPr></w:pPrChange></w:pPr>${run('nine')}</w:p>`,
  ];
  expect((await word(body.join(''))).replace(/\s+/g, ' ')).toBe(
    'one two three four five six six-too seven eight nine ',
  );
});

test('docx: hidden runs lose content, not text boxes or comments', async () => {
  const box = `<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent><w:p>${run('GONE', '<w:vanish/>')}${run('BOXED')}</w:p></w:txbxContent></v:textbox></v:shape></w:pict>`;
  const field = (type: string, properties: string): string =>
    `<w:r>${properties}<w:fldChar w:fldCharType="${type}"/></w:r>`;
  const body = [
    `<w:p>${run('one ')}<w:r>${box}</w:r></w:p>`,
    `<w:p><w:r>${HIDES}<w:t>GONE</w:t>${box}<w:tab/></w:r>${run('two')}</w:p>`,
    `<w:p>${field('begin', HIDES)}<w:r>${HIDES}<w:instrText> DATE </w:instrText></w:r>${field('separate', HIDES)}${run('three')}${field('end', HIDES)}${run(' four')}</w:p>`,
    `<w:p>${run('five')}<w:r>${HIDES}<w:t>GONE</w:t><w:commentReference w:id="7"/></w:r></w:p>`,
  ];
  const comments = `<w:comments ${SPACE}><w:comment w:id="7" w:author="Ann"><w:p>${run('Why?')}${run('GONE', '<w:vanish/>')}</w:p></w:comment></w:comments>`;
  const text = await word(body.join(''), { 'word/comments.xml': comments });
  for (const words of ['one', 'two', 'three four', 'five [comment by Ann: Why?]'])
    expect(text).toContain(words);
  expect(text.match(/BOXED/g)).toHaveLength(2);
  expect(text).not.toContain('GONE');
});

test('docx: hidden text of headers and footers is not shown', async () => {
  const header = `<w:hdr ${SPACE}><w:p>${run('ON TOP')}${run(' GONE', '<w:vanish/>')}</w:p></w:hdr>`;
  const footer = `<w:ftr ${SPACE}>${styled('Aside', 'GONE')}<w:p>${run('BELOW', was('<w:vanish/>'))}</w:p></w:ftr>`;
  const parts = { 'word/header1.xml': header, 'word/footer1.xml': footer };
  expect(await word(`<w:p>${run('text')}</w:p>`, parts)).toBe(
    'text\n\n## Headers and footers\n\n- header: ON TOP\n- footer: BELOW\n',
  );
});

test('docx: a hidden run of 300,000 elements is searched completely', { tags: 'slow' }, async () => {
  const field = '<w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="end"/>';
  const text = await word(
    `<w:p>${run('one ')}<w:r>${HIDES}${'<w:t>x</w:t>'.repeat(300_000)}${field}</w:r></w:p>`,
  );
  expect(text).toBe('one\n');
});

test('docx: a header with unclosed tags removes no text', async () => {
  const header = '<mc:Fallback '.repeat(100_000);
  const text = await word(`<w:p>${run('text')}</w:p>`, { 'word/header1.xml': header });
  expect(text).toMatch(/^text\n/);
});

const display = (name: string, family: string, value: string, parent = ''): string =>
  `<style:style style:name="${name}" style:family="${family}"${parent && ` style:parent-style-name="${parent}"`}>${value && `<style:text-properties text:display="${value}"/>`}</style:style>`;

/** `common`, `margins`: styles of styles.xml, for all and for its headers. */
async function open(
  body: string,
  { automatic = '', common = '', margins = '', header = '' } = {},
): Promise<string> {
  const parts = unzipSync(fixture('report.odt'));
  const edited = (name: string, edit: (xml: string) => string): void => {
    parts[name] = Buffer.from(edit(Buffer.from(parts[name] ?? []).toString()));
  };
  edited('content.xml', (xml) =>
    xml
      .replace('</office:automatic-styles>', `${automatic}$&`)
      .replace(/(<office:text[^>]*>)[^]*(<\/office:text>)/, `$1${body}$2`),
  );
  edited('styles.xml', (xml) =>
    xml
      .replace('</office:styles>', `${common}$&`)
      .replace('</office:automatic-styles>', `${margins}$&`)
      .replace(/<style:master-page[^>]*?\/?>/, (tag) =>
        header === ''
          ? tag
          : `${tag.replace('/>', '>')}<style:header>${header}</style:header>${tag.endsWith('/>') ? '</style:master-page>' : ''}`,
      ),
  );
  const text = await shown('a.odt', Buffer.from(zipSync(parts)));
  return text
    .replace(/\n## Headers and footers\n\n/, '')
    .trim()
    .replace(/\s+/g, ' ');
}

const p = (content: string, name = ''): string =>
  `<text:p${name && ` text:style-name="${name}"`}>${content}</text:p>`;
const span = (name: string, content: string): string =>
  `<text:span text:style-name="${name}">${content}</text:span>`;

test('odt: a style hides only its family in its part', async () => {
  const text = await open(
    [
      p('one', 'XS'),
      p(`two ${span('XP', 'three')} ${span('XS', 'GONE')}${span('XH', 'four')}`),
      p('five', 'XC'),
      p('GONE', 'XD'),
    ].join(''),
    {
      automatic:
        display('XS', 'text', 'none') + display('XP', 'paragraph', 'none') + display('XC', 'paragraph', ''),
      common: display('XC', 'paragraph', 'none') + display('XD', 'paragraph', 'none'),
      margins: display('XH', 'text', 'none'),
      header: p(`six ${span('XH', 'GONE')}${span('XS', 'seven')}`),
    },
  );
  expect(text).toBe('one two three four five - header: six seven');
});

test('odt: children of hiding styles are hidden unless made visible', async () => {
  const text = await open(
    [
      p(`one ${span('XB', `GONE ${span('XP', 'GONE')} ${span('XV', 'two')} GONE`)}${span('XQ', ' three')}`),
      p(`GONE <text:s/>${span('XV', 'four')} GONE<text:tab/>`, 'XH'),
      p(`GONE ${span('XP', 'GONE')}`, 'XH'),
      p(`<text:a text:style-name="XB">GONE</text:a>five`),
    ].join(''),
    {
      automatic: [
        display('XB', 'text', '', 'XM'),
        display('XP', 'text', ''),
        display('XV', 'text', 'true', 'XM'),
        display('XH', 'paragraph', '', 'XK'),
        display('XQ', 'text', '', 'XU'),
      ].join(''),
      common: [display('XM', 'text', 'none'), display('XK', 'paragraph', 'none')].join(''),
    },
  );
  expect(text).toBe('one two three four five');
});

test('odt: hidden sections, fields and paragraphs are left out', async () => {
  const section = (attributes: string, content: string): string =>
    `<text:section text:name="s" ${attributes}>${content}</text:section>`;
  const gone = 'text:display="none"';
  const note = `<office:annotation><dc:creator>Ann</dc:creator>${p('Why?')}</office:annotation>`;
  const box = `<draw:frame text:anchor-type="as-char"><draw:text-box>${p('BOXED')}</draw:text-box></draw:frame>`;
  const text = await open(
    [
      section(gone, p('GONE') + section('text:display="true"', p('GONE')) + p(`GONE${box}`)),
      section('', p('one') + section(gone, p('GONE')) + p('two')),
      section(
        'text:display="condition" text:condition="ooow:1" text:is-hidden="true"',
        p(span('XV', 'GONE')),
      ),
      section('text:display="condition" text:condition="ooow:0"', p('three')),
      p('GONE <text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/> GONE'),
      p('four <text:hidden-paragraph text:condition="ooow:0" text:is-hidden="false"/>'),
      p('<text:variable-set text:name="v" text:display="none">GONE</text:variable-set>five'),
      p(`GONE${note} GONE`, 'XH'),
      p(`GONE${box}`, 'XH'),
    ].join(''),
    { automatic: display('XH', 'paragraph', 'none') + display('XV', 'text', 'true') },
  );
  expect(text).toBe('one two three four five [comment by Ann: Why?] BOXED');
});
