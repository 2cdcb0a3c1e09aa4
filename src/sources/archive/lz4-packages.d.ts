/** What is used of the packages that unpack LZ4: lz4js has no types. */

declare module 'lz4js' {
  /**
   * Decodes `length` bytes of `packed` from `from` on into `output` at `at`, and returns where the decoded bytes end. What
   * does not fit is dropped, and the end is beyond the output then.
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
