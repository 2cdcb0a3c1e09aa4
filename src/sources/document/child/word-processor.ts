/** Converts texts of word processors: rewrites them first where the converter would fail, and restores marked text after. */

import type { Format } from '../document-protocol.ts';
import { toMarkdown } from './office.ts';
import { type Mended, mendedOpen, mendedWord } from './packages.ts';
import { restoreTexts } from './restore-texts.ts';
import { visibleRtf } from './rtf.ts';
import { asidesOf } from './word97-side-texts.ts';
import { visibleWord } from './word97.ts';

export async function wordProcessorText(stored: Buffer, format: Format): Promise<string> {
  const { bytes, sections } = mended(stored, format);
  return restoreTexts(await toMarkdown(bytes, format), sections);
}

function mended(bytes: Buffer, format: Format): Mended {
  switch (format) {
    case 'docx':
      return mendedWord(bytes);
    case 'odt':
      return mendedOpen(bytes);
    case 'rtf':
      return { bytes: visibleRtf(bytes), sections: [] };
    case 'doc':
      return wordText(visibleWord(bytes));
    default:
      return { bytes, sections: [] };
  }
}

function wordText(bytes: Buffer): Mended {
  return { bytes, sections: asidesOf(bytes) };
}
