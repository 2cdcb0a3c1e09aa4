/** Reads an image: its facts, as data and as lines of text, and a copy within the budget, or only its facts (`:meta`). SVG is read as text. */

import { OrielError } from '../../errors.ts';
import type { ByteSource, OpenedFile } from '../../types/access.ts';
import type { Call, ImageResource, Resource, SourceSubject } from '../../types/call.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../../types/session.ts';
import { selectionOf } from '../text/open.ts';
import { NOT_DECODED, readRaster } from './decode.ts';
import { identifyImage, MIME_TYPES, type RasterType } from './detect.ts';
import { MAX_IMAGE_BYTES } from './limits.ts';
import type { RasterImage, ShownImage } from './protocol.ts';
import { storedSize } from './stored-size.ts';

/** `decoder`: the entry file of another decoder than the package's own. */
export async function openImage(subject: SourceSubject, call: Call, decoder?: URL): Promise<Resource> {
  const { opened, head } = subject;
  const type = identifyImage(head);
  if (opened.kind !== 'file' || !type) throw new TypeError('the claimed file is not an image');
  return type === 'svg' ? openSvg(subject, opened, call) : openRaster(subject, opened, type, call, decoder);
}

async function openRaster(
  subject: SourceSubject,
  { bytes }: OpenedFile,
  type: RasterType,
  call: Call,
  decoder: URL | undefined,
): Promise<ImageResource> {
  const meta = `${subject.typed}:meta`;
  if (subject.rest !== '' && subject.rest !== 'meta') {
    throw new OrielError('BAD_SELECTOR', 'An image has no lines or members; its only selector is :meta.', {
      next: meta,
    });
  }
  // A stream is read to its end, so that no child process has to wait for bytes.
  if (bytes.size === undefined) await bytes.readInto(new Uint8Array(1), MAX_IMAGE_BYTES, call.signal);
  const want = subject.rest === 'meta' || call.settings.imageMetadataOnly ? 'facts' : 'picture';
  const raster = await rasterOf(bytes, type, want, call, decoder);
  const facts = { mimeType: MIME_TYPES[type], bytes: bytes.size, ...raster.facts };
  const line = describeImage(facts);
  const answer = { kind: 'image', format: 'image', text: line, facts: { image: facts } } as const;
  if (want === 'facts') return answer;
  const format = NOT_DECODED[type];
  if (format) {
    const text = `${format} is described and not shown; convert it to PNG to see it`;
    return { ...answer, notes: [{ kind: 'said', text }] };
  }
  if (raster.shown) {
    const shown = shownFacts(raster.shown);
    const text = `${line}\nShown at ${describeSize(shown)}, ${shown.mimeType}, ${shown.bytes} bytes`;
    return { ...answer, text, image: raster.shown, facts: { image: facts, shown } };
  }
  const { code, why, cause } = raster.refused ?? { code: 'INTERNAL', why: 'no copy was made' };
  throw new OrielError(code, `The image (${line}) cannot be shown: ${why}.`, { next: meta, cause });
}

const rasters: DerivedKind<RasterImage, RasterOptions> = {
  name: 'image',
  weigh: ({ shown }) => ({ memory: FACTS_BYTES + (shown?.data.length ?? 0) }),
};

type RasterOptions = { type: string; want: string; decoder: string | undefined };

/** The approximate weight of an image's facts in bytes. */
const FACTS_BYTES = 1_000;

/** The cached raster. A refusal is not cached, because it may be temporary, such as a lack of memory or time. */
function rasterOf(
  bytes: ByteSource,
  type: RasterType,
  want: 'facts' | 'picture',
  call: Call,
  decoder: URL | undefined,
): Promise<RasterImage> {
  const shaped = { type, want, decoder: decoder?.href };
  const make = async ({ source, signal }: ValueComputation): Promise<ComputedValue<RasterImage>> => {
    const value = await readRaster(source, type, want, signal, { decoder, offload: call });
    return { value, keep: value.refused === undefined };
  };
  return call.session.store.get(rasters, bytes, shaped, make, call);
}

async function openSvg(subject: SourceSubject, { bytes }: OpenedFile, call: Call): Promise<Resource> {
  const selection = selectionOf(subject);
  const size = await storedSize(bytes, 'svg', call.signal);
  const facts = { mimeType: MIME_TYPES.svg, bytes: bytes.size, ...size };
  const line = describeSvg(facts);
  if (selection.mode === 'meta')
    return { kind: 'image', format: 'image', text: line, facts: { image: facts } };
  return {
    kind: 'text',
    format: 'image',
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

// Facts about an image and its shown copy, as data and as lines of text.

/** Of the stored image. */
interface ImageFacts extends Readonly<RasterImage['facts']> {
  readonly mimeType: string;
  /** The stored size; absent while a stream has not ended. */
  readonly bytes?: number | undefined;
}

interface ShownFacts {
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** The scale factor of the copy, at most 1. */
  readonly scale: number;
}

/** `image/png, 1432313 bytes, 3000x2000 pixels, 3 channels, no alpha`. */
function describeImage(facts: ImageFacts): string {
  const { mimeType, bytes, width, height, channels, alpha, orientation, frames = 1 } = facts;
  return [
    mimeType,
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    `${width}x${height} pixels`,
    ...(channels === undefined ? [] : [channels === 1 ? '1 channel' : `${channels} channels`]),
    ...(alpha === undefined ? [] : [alpha ? 'alpha' : 'no alpha']),
    ...(orientation === undefined || orientation === 1
      ? []
      : [`EXIF orientation ${orientation} (sizes are upright)`]),
    ...(frames > 1 ? [`${frames} ${FRAMES[mimeType] ?? 'frames (the first is shown)'}`] : []),
  ].join(', ');
}

/** `image/svg+xml, 258 bytes, 300x200 pixels`. */
function describeSvg({ mimeType, bytes, width, height }: Partial<ImageFacts>): string {
  const size = width === undefined || height === undefined ? 'no stated size' : `${width}x${height} pixels`;
  return [mimeType, ...(bytes === undefined ? [] : [`${bytes} bytes`]), size].join(', ');
}

const FRAMES: Readonly<Record<string, string>> = {
  'image/x-icon': 'icons',
  'image/tiff': 'pages (the first is shown)',
};

export function shownFacts({ mimeType, data, width, height, from }: ShownImage): ShownFacts {
  const scale = Math.max(width, height) / Math.max(from.width, from.height);
  return { mimeType, bytes: data.length, width, height, scale };
}

/** `64x48 pixels (full size)`. */
export function describeSize({ width, height, scale }: ShownFacts): string {
  const how = scale === 1 ? 'full size' : `scale ${round(scale)}; multiply positions by ${round(1 / scale)}`;
  return `${width}x${height} pixels (${how})`;
}

const round = (value: number) => String(Number(value.toPrecision(5)));
