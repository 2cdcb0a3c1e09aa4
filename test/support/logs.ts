/** The map of a log in memory, without a tool around it. */

import { fitLog, logNotice, scanLog } from '../../src/code/summary/log-map.ts';
import { displays, showPart } from '../../src/render/display.ts';
import { memoryBytes, readAt } from '../../src/text/bytes.ts';
import { utf8 } from '../../src/text/encoding.ts';
import type { Notice } from '../../src/types/answer.ts';

/** Throws if the text is no log. */
export async function logMap(
  name: string,
  content: string,
  bytes = 8_192,
): Promise<{ readonly text: string; readonly notice: Notice }> {
  const source = memoryBytes(content);
  const scan = await scanLog(source, utf8, new AbortController().signal);
  if (!scan) throw new Error('no log');
  const show = (part: Parameters<typeof showPart>[0]): string => showPart(part, displays.numbers);
  const map = await fitLog(
    scan,
    async ({ start, end }) => Buffer.from(await readAt(source, start, end - start)).toString(),
    { bytes, lines: 3_000, show },
  );
  return { text: map.parts.map(show).join(''), notice: logNotice(scan, map, name) };
}
