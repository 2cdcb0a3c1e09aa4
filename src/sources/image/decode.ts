/** Owns the words that the engine and the decoding child exchange. */

import type { RasterType } from './read-header.ts';

/** What the child decodes. `dib` is a BMP without its file header, as icons carry it. */
export type DecodeType = Exclude<RasterType, 'heic' | 'ico'> | 'dib';

/** The bounds of a shown image. */
export interface ImageBudget {
  /** Pixels of the longer side. */
  readonly edge: number;
  /** Bytes of the encoded image. */
  readonly bytes: number;
}

export interface DecodeRequest {
  readonly type: DecodeType;
  /** How many bytes of the image come, at most. */
  readonly bytes: number;
  readonly budget: ImageBudget;
  /** The most pixels that the input may turn out to have: what its header declared. */
  readonly pixels: number;
  /** Whether PNG, which loses nothing, is worth trying first: the input was not lossy itself. */
  readonly lossless: boolean;
  /** Seconds after which decoding gives up by itself. */
  readonly seconds: number;
}

/** `missing`: the library; `limit`: more pixels than declared; `slow`: more time than allowed. */
export type Refusal = 'missing' | 'corrupt' | 'limit' | 'slow';

/** First line of the child's answer, as JSON; the encoded image follows it. */
export type DecodeReply =
  | {
      readonly ok: true;
      readonly mimeType: string;
      readonly width: number;
      readonly height: number;
      /** Pixels of the upright original. */
      readonly from: { readonly width: number; readonly height: number };
    }
  | { readonly ok: false; readonly why: Refusal; readonly message: string };
