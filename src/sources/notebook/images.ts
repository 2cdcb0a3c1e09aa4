/** Shows the images of a notebook's outputs as image blocks, within the budget of one answer. */

import { memoryBytes, readAt } from '../../access/bytes.ts';
import { isOrielError } from '../../errors.ts';
import type { Derivation } from '../../identity.ts';
import { queues } from '../../queues/queue-table.ts';
import { writeSelector } from '../../selector/selection.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Notice } from '../../types/notice.ts';
import type { ShownImages } from '../../types/resource.ts';
import type { ShownImage } from '../image/child-reply.ts';
import { describeSize, shownFacts } from '../image/facts.ts';
import { identifyImage, MIME_TYPES } from '../image/identify.ts';
import { MOST_STORED } from '../image/pixel-limits.ts';
import { DEFAULT_BUDGET, type ImageOptions, readRaster } from '../image/read-raster.ts';
import { text } from './read-cells.ts';
import type { NotebookImage } from './render.ts';

const outputImage: Derivation<{ start: number; end: number }> = { name: 'notebook image' };

/** The most images of one answer; together they stay within the byte budget of a single image. */
const MOST_IMAGES = 8;

/**
 * Shows images in order until the budget is used. One notice says for each how it is shown or why it is not, and names the
 * call for the remaining images. Only one image is decoded at a time.
 */
export async function showImages(
  images: readonly NotebookImage[],
  source: ByteSource,
  typed: string,
  signal: AbortSignal,
  options: ImageOptions,
): Promise<ShownImages> {
  const shown: ShownImage[] = [];
  const said: string[] = [];
  let left = (options.budget ?? DEFAULT_BUDGET).bytes;
  for (const image of images.slice(0, MOST_IMAGES)) {
    // The slot is taken before the base64 is decoded: images that wait in the queue take no memory.
    const fitted = await queues.notebookImages.run(() => fit(image, source, signal, options), { signal });
    if (typeof fitted === 'string') {
      said.push(`image ${image.number} cannot be shown: ${fitted}`);
      continue;
    }
    left -= fitted.data.length;
    if (left < 0) break;
    shown.push(fitted);
    said.push(`image ${image.number} follows at ${describeSize(shownFacts(fitted))}`);
  }
  const next = images[said.length];
  if (next) said.push(`image ${next.number} and later ones are over the image budget`);
  return { images: shown, notes: said.length > 0 ? [notice(said, next && callFor(next, typed))] : [] };
}

/** The call that shows `image` and the images after it. */
function callFor({ line }: NotebookImage, typed: string): string {
  return typed + writeSelector({ by: 'lines', ranges: [{ from: line }] }, 'outputs');
}

function notice(said: readonly string[], use?: string): Notice {
  const text = said.join('; ');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return use === undefined
    ? { kind: 'said', text: sentence }
    : { kind: 'said', text: `${sentence}. Use ${use} to see them`, use };
}

/** The shown copy of an image, or the reason why there is none. */
async function fit(
  { span }: NotebookImage,
  source: ByteSource,
  signal: AbortSignal,
  options: ImageOptions,
): Promise<ShownImage | string> {
  // Base64 has four bytes for three, plus line breaks.
  if (span.end - span.start > MOST_STORED * 1.5) return 'it is too large';
  const stored = await readAt(source, span.start, span.end - span.start, signal);
  const base64 = text(JSON.parse(Buffer.from(stored).toString('utf8')));
  const data = memoryBytes(
    Buffer.from(base64 ?? '', 'base64'),
    source.identity.derive(outputImage, { start: span.start, end: span.end }),
  );
  const type = identifyImage(await readAt(data, 0, 64, signal));
  if (!type || type === 'svg') return 'it is not an image';
  try {
    const { shown, refused } = await readRaster(data, type, 'picture', signal, options);
    return shown ?? refused?.why ?? `it is of type ${MIME_TYPES[type]}, which is not decoded here`;
  } catch (error) {
    if (isOrielError(error)) return error.message.replace(/\.$/, '');
    throw error;
  }
}
