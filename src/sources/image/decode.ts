/** The messages between the engine and the decoding child. */

import type { RasterType } from './identify.ts';

/** What sharp's prebuilt decoders can be asked about; of HEIC they read the header only. */
export type DecodeType = Exclude<RasterType, 'bmp' | 'ico'>;

/** The bounds of a shown image. */
export interface ImageBudget {
  /** Pixels of the longer side. */
  readonly edge: number;
  /** Bytes of the encoded image. */
  readonly bytes: number;
}

export interface DecodeRequest {
  readonly type: DecodeType;
  /** What the shown copy must fit; absent when only the facts are asked for. */
  readonly budget?: ImageBudget;
  /** Timeout in seconds. */
  readonly seconds: number;
}

/** What the decoder reads from the header of an image. */
export interface RasterFacts {
  /** Pixels of the upright image. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  /** EXIF orientation, 1 to 8; absent if the file states none. */
  readonly orientation?: number;
  /** Frames of an animation, pages of a TIFF; absent if there is one. */
  readonly frames?: number;
}

/** `missing`: the library; `large`: more than `most` pixels; `hidden`: more pixels than declared. */
export type Refusal = 'missing' | 'corrupt' | 'large' | 'hidden' | 'slow';

/** The body of its frame is the encoded image. */
export interface DecodeReply {
  /** Absent if even the header could not be read. */
  readonly facts?: RasterFacts;
  readonly shown?: { readonly mimeType: string; readonly width: number; readonly height: number };
  /** Why there is no shown copy. */
  readonly refusal?: Refusal;
  /** With `large`: pixels that are decoded of this image. */
  readonly most?: number;
}
