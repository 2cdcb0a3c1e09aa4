/** Types for the used part of lz4js, which has none. */

declare module 'lz4js' {
  /**
   * Decodes `length` bytes of `packed` from offset `from` into `output` at offset `at`, and returns the offset after the decoded
   * bytes. Bytes that do not fit are dropped; the returned offset is then beyond the end of `output`.
   */
  export function decompressBlock(
    packed: Uint8Array,
    output: Uint8Array,
    from: number,
    length: number,
    at: number,
  ): number;
}

declare module 'xxhash-wasm' {
  export interface Hash {
    update(bytes: Uint8Array): Hash;
    digest(): number;
  }

  export interface Hashes {
    h32Raw(bytes: Uint8Array): number;
    create32(): Hash;
  }

  export default function load(): Promise<Hashes>;
}
