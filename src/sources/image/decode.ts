/** The messages between the engine and the decoding child process. */

import type { RasterType } from './identify.ts';

/** The types that sharp's prebuilt decoders support; of HEIC they read only the header. */
export type DecodeType = Exclude<RasterType, 'bmp' | 'ico'>;

/** The limits of a shown image. */
export interface ImageBudget {
  /** The most pixels of the longer side. */
  readonly edge: number;
  /** The most bytes of the encoded image. */
  readonly bytes: number;
}

export interface DecodeRequest {
  readonly type: DecodeType;
  /** The limits of the copy; absent if only the facts are wanted. */
  readonly budget?: ImageBudget;
  /** Timeout in seconds. */
  readonly seconds: number;
}

/** Facts from the header of an image. */
export interface RasterFacts {
  /** Pixels of the upright image. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  /** EXIF orientation, 1 to 8; absent if the file states none. */
  readonly orientation?: number;
  /** The number of frames of an animation or pages of a TIFF; absent if there is one. */
  readonly frames?: number;
}

/** `missing`: the library is not installed; `large`: more than `most` pixels; `hidden`: more pixels than declared. */
export type Refusal = 'missing' | 'corrupt' | 'large' | 'hidden' | 'slow';

/** The head of a reply; the body of the frame is the encoded image. */
export interface DecodeReply {
  /** Absent if even the header could not be read. */
  readonly facts?: RasterFacts;
  readonly shown?: { readonly mimeType: string; readonly width: number; readonly height: number };
  /** Why there is no shown copy. */
  readonly refusal?: Refusal;
  /** With `large`: the most pixels of this image that would be decoded. */
  readonly most?: number;
}
