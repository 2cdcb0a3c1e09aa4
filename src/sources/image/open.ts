/**
 * Owns what an image is answered with: its facts and an upright copy that fits a budget, or its facts alone
 * (`:meta`). SVG is text and is paged as such.
 */

import { OrielError } from '../../errors.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { ImageResource, Resource, Subject } from '../../types/resource.ts';
import { selectionOf } from '../file.ts';
import { describeImage, describeShown, describeSvg, imageFacts, shownFacts } from './facts.ts';
import { type FitOptions, fitImage, MOST_STORED, NotShown } from './fit.ts';
import { identifyImage, MIME_TYPES } from './identify.ts';
import { type RasterType, readImageHeader } from './read-header.ts';
import { svgSize } from './svg.ts';

export async function openImage(subject: Subject, call: Call, options: FitOptions): Promise<Resource> {
  const { opened, head } = subject;
  const type = identifyImage(head);
  if (opened.is !== 'file' || !type) throw new TypeError('something was claimed as an image that is none');
  return type === 'svg' ? openSvg(subject, opened) : openRaster(subject, opened, type, call, options);
}

async function openRaster(
  subject: Subject,
  { bytes }: OpenedFile,
  type: RasterType,
  call: Call,
  options: FitOptions,
): Promise<ImageResource> {
  const meta = `${subject.typed}:meta`;
  if (subject.rest !== '' && subject.rest !== 'meta') {
    throw new OrielError('BAD_SELECTOR', 'An image has no lines or members; its one selector is :meta.', {
      next: meta,
    });
  }
  await learnSize(bytes, call.signal);
  const header = await readImageHeader(bytes, type, call.signal);
  const facts = imageFacts(type, bytes.size, header);
  const line = describeImage(facts, header);
  const answer = { is: 'image', kind: 'image', text: line, facts: { image: facts } } as const;
  if (subject.rest === 'meta' || call.settings.imageMetadataOnly) return answer;
  if (type === 'heic')
    return { ...answer, notes: [{ kind: 'said', text: 'HEIC is described and not shown' }] };
  try {
    const image = await fitImage(bytes, type, header, call.signal, options);
    const shown = shownFacts(image);
    return {
      ...answer,
      text: `${line}\n${describeShown(shown)}`,
      image,
      facts: { image: facts, shown },
    };
  } catch (error) {
    if (!(error instanceof NotShown)) throw error;
    throw new OrielError(error.code, `The image (${line}) cannot be shown: ${error.message}.`, {
      next: meta,
      cause: error,
    });
  }
}

/** A stream knows its size once it has ended: one that ends within what is decoded is pulled that far. */
async function learnSize(bytes: ByteSource, signal: AbortSignal): Promise<void> {
  if (bytes.size === undefined) await bytes.readInto(new Uint8Array(1), MOST_STORED, signal);
}

function openSvg(subject: Subject, { bytes }: OpenedFile): Resource {
  const selection = selectionOf(subject);
  const size = svgSize(subject.head);
  const facts = { mimeType: MIME_TYPES.svg, ...(bytes.size !== undefined && { bytes: bytes.size }), ...size };
  const line = describeSvg(facts);
  if (selection.mode === 'meta') return { is: 'image', kind: 'image', text: line, facts: { image: facts } };
  return {
    is: 'text',
    kind: 'image',
    bytes,
    encoding: 'stored',
    selection,
    target: subject.typed,
    name: subject.name,
    display: 'lines',
    editable: true,
    facts: { image: facts },
    notes: selection.mode === 'raw' ? [] : [{ kind: 'said', text: `${line}; shown as text` }],
  };
}
