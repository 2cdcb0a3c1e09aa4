/** Reads OLE compound files, the container of the binary Office formats. */

const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Sector numbers from this value on are marks: free, end of chain. */
const LAST_SECTOR = 0xfffffffa;

const MAX_COMPOUND_ENTRIES = 16_384;

/** Streams of fewer bytes are stored in sectors of `MINI` bytes. */
const SMALL = 4096;
const MINI = 64;

export interface CompoundStream {
  readonly name: string;
  readonly size: number;
  readonly start: number;
}

export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #table: readonly number[];
  readonly streams: readonly CompoundStream[];

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sectorBytes = 1 << Math.min(16, Math.max(7, bytes.readUInt16LE(30)));
    this.#table = this.#readTable();
    this.streams = this.#readDirectory(bytes.readUInt32LE(48));
  }

  static of(bytes: Buffer): CompoundFile | undefined {
    return bytes.length >= 512 && bytes.subarray(0, 8).equals(MAGIC) ? new CompoundFile(bytes) : undefined;
  }

  find(name: string): CompoundStream | undefined {
    return this.streams.find((stream) => stream.name === name);
  }

  /** The file offsets of the sectors of a large stream, in order. */
  sectors({ start, size }: CompoundStream): number[] {
    return this.#chain(start, Math.ceil(size / this.#sectorBytes));
  }

  get sectorBytes(): number {
    return this.#sectorBytes;
  }

  /** The content of a stream. Small streams are stored together in the root stream. */
  read(stream: CompoundStream): Buffer {
    return Buffer.concat(this.#pieces(stream)).subarray(0, stream.size);
  }

  /** Overwrites a stream with content of the same length. */
  write(stream: CompoundStream, content: Buffer): void {
    let at = 0;
    for (const piece of this.#pieces(stream)) at += content.copy(piece, 0, at);
  }

  #pieces(stream: CompoundStream): Buffer[] {
    return stream.size < SMALL ? this.#smallPieces(stream) : this.#largePieces(stream);
  }

  #smallPieces({ start, size }: CompoundStream): Buffer[] {
    const root = this.streams[0];
    if (!root) return [];
    const all = this.#largePieces(root);
    const table = this.#chain(this.#bytes.readUInt32LE(60), MAX_COMPOUND_ENTRIES);
    const perSector = this.#sectorBytes / 4;
    const pieces: Buffer[] = [];
    for (let sector = start; sector < LAST_SECTOR && pieces.length * MINI < size;) {
      const place = (sector * MINI) % this.#sectorBytes;
      const around = all[Math.floor((sector * MINI) / this.#sectorBytes)];
      pieces.push((around ?? Buffer.alloc(0)).subarray(place, place + MINI));
      const at = (table[Math.floor(sector / perSector)] ?? Infinity) + 4 * (sector % perSector);
      sector = at + 4 <= this.#bytes.length ? this.#bytes.readUInt32LE(at) : LAST_SECTOR;
    }
    return pieces;
  }

  #largePieces(stream: CompoundStream): Buffer[] {
    return this.sectors(stream).map((at) => this.#bytes.subarray(at, at + this.#sectorBytes));
  }

  #offset(sector: number): number {
    return (sector + 1) * this.#sectorBytes;
  }

  /** The offsets of the sectors of a chain, at most `most`, so that a loop ends. */
  #chain(start: number, most: number): number[] {
    const offsets: number[] = [];
    for (let sector = start; sector < LAST_SECTOR && offsets.length < most;) {
      const at = this.#offset(sector);
      if (at >= this.#bytes.length) break;
      offsets.push(at);
      sector = this.#table[sector] ?? LAST_SECTOR;
    }
    return offsets;
  }

  #readTable(): number[] {
    const bytes = this.#bytes;
    const perSector = this.#sectorBytes / 4;
    const most = Math.ceil(bytes.length / this.#sectorBytes);
    const sectors: number[] = [];
    for (let at = 76; at < 512; at += 4) sectors.push(bytes.readUInt32LE(at));
    let next = bytes.readUInt32LE(68);
    for (let hops = 0; next < LAST_SECTOR && hops < most; hops += 1) {
      const at = this.#offset(next);
      if (at + this.#sectorBytes > bytes.length) break;
      for (let i = 0; i < perSector - 1; i += 1) sectors.push(bytes.readUInt32LE(at + 4 * i));
      next = bytes.readUInt32LE(at + 4 * (perSector - 1));
    }
    const table: number[] = [];
    for (const sector of sectors) {
      const at = this.#offset(sector);
      if (sector >= LAST_SECTOR || at + this.#sectorBytes > bytes.length || table.length > most) continue;
      for (let i = 0; i < perSector; i += 1) table.push(bytes.readUInt32LE(at + 4 * i));
    }
    return table;
  }

  #readDirectory(start: number): CompoundStream[] {
    const found: CompoundStream[] = [];
    for (const sector of this.#chain(start, MAX_COMPOUND_ENTRIES)) {
      for (let at = sector; at + 128 <= Math.min(sector + this.#sectorBytes, this.#bytes.length); at += 128) {
        const nameBytes = this.#bytes.readUInt16LE(at + 64);
        if (nameBytes < 2 || nameBytes > 64 || found.length >= MAX_COMPOUND_ENTRIES) continue;
        found.push({
          name: this.#bytes.toString('utf16le', at, at + nameBytes - 2),
          size: this.#bytes.readUInt32LE(at + 120),
          start: this.#bytes.readUInt32LE(at + 116),
        });
      }
    }
    return found;
  }
}
