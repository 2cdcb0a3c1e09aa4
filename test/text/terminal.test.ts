import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { terminalText } from '../../src/text/terminal.ts';

test.each([
  ['plain text stays', 'a\tb\n', 'a\tb\n'],
  ['CRLF ends a line', 'a\r\n', 'a\n'],
  ['colours go', '\x1b[1;31mred\x1b[0m\n', 'red\n'],
  ['a hyperlink leaves its text', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n', 'link\n'],
  ['a window title goes', '\x1b]0;title\x07text\n', 'text\n'],
  ['a charset switch goes', '\x1b(Btext\x1b=\n', 'text\n'],
  ['a redrawn bar shows its last state', ' 10%\r 50%\r100%\n', '100%\n'],
  ['what is not overwritten stays', 'downloading\rdone\n', 'doneloading\n'],
  ['unless it is erased', 'downloading\r\x1b[Kdone\n', 'done\n'],
  ['the whole line is erased', 'downloading\x1b[2K\rdone\n', 'done\n'],
  ['the line is erased up to the cursor', 'abcdef\x1b[3G\x1b[1K\n', '   def\n'],
  ['a carriage return before CRLF', '50%\r\r\n', '50%\n'],
  ['a carriage return at the end of all', '50%\r', '50%'],
  ['overstriking as in manual pages', 'N\bNA\bAM\bME\bE\n', 'NAME\n'],
  ['the cursor moves back', 'abc\x1b[2DX\n', 'aXc\n'],
  ['a jump beyond the text is one blank', 'Starting\x1b[60G[ OK ]\n', 'Starting [ OK ]\n'],
  ['a huge jump costs nothing', 'a\x1b[999999999Cb\n', 'a b\n'],
  ['a lone escape stays to be seen', 'a\x1b\n', 'a\x1b\n'],
  ['an unfinished control string hides nothing', 'a\x1b]0;title\n', 'a\x1b]0;title\n'],
  ['a colour in the middle erases nothing', 'abc\x1b[2D\x1b[31mX\x1b[mY\n', 'aXY\n'],
  ['the line is erased from the cursor on', 'abcdef\x1b[3D\x1b[K\n', 'abc\n'],
  ['the whole line is erased, wherever the cursor is', 'abcdef\r\x1b[2K\n', '\n'],
  ['a jump is one blank, also after moves within the text', 'ab\x1b[1DX\x1b[5Cc\n', 'aX c\n'],
  ['a move to the end of the text is no jump', 'ab\b\x1b[1C\x1b[9Cc\n', 'ab c\n'],
  ['wide characters are overwritten whole', '👍👍\rab\n', 'ab\n'],
])('%s', (_, line, shown) => expect(terminalText(line)).toBe(shown));

test('no line is shown longer than it was written', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\r',
      '\b',
      '\x1b[K',
      '\x1b[2K',
      '\x1b[1K',
      '\x1b[9C',
      '\x1b[40G',
      '\x1b[3D',
      '\x1b]',
      '\x1b',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const line = pieces.join('').replaceAll('\n', '');
      expect(terminalText(line).length).toBeLessThanOrEqual(line.length);
    }),
  );
});
