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

/** The properties of shapes with a text. Source: [MS-ODRAW] 2.2.9 (FOPT), 2.3.4.15 (wzDescription), 2.3.22.2 (gtextUNICODE). */
const SHAPE_PROPERTIES = Buffer.from('0bf0', 'hex');
const SHAPE_TEXTS: ReadonlyMap<number, 'picture' | 'shape'> = new Map([
  [0x0381, 'picture'],
  [0x00c0, 'shape'],
]);

/** The texts that are properties of shapes in a stream: descriptions of pictures, WordArt. */
export function shapeTexts(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = -2; (at = bytes.indexOf(SHAPE_PROPERTIES, at + 2)) !== -1;) {
    if (at < 2 || at + 6 > bytes.length || (bytes.readUInt8(at - 2) & 15) !== 3) continue;
    const count = bytes.readUInt16LE(at - 2) >> 4;
    const properties = bytes.subarray(at + 6, at + 6 + bytes.readUInt32LE(at + 2));
    // The texts of all properties are behind the last one.
    for (let i = 0, text = 6 * count; i < count && text <= properties.length; i += 1) {
      const id = properties.readUInt16LE(6 * i);
      if ((id & 0x8000) === 0) continue;
      const end = text + properties.readUInt32LE(6 * i + 2);
      const kind = SHAPE_TEXTS.get(id & 0x3fff);
      const said = properties.toString('utf16le', text, end).replace(/\0.*/s, '').trim();
      if (kind !== undefined && said !== '') found.push(`${kind}: ${said}`);
      text = end;
    }
  }
  return found;
}

/** What `read` returns, and `otherwise` where the file ends before what it says of itself. */
export function unlessDamaged<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #table: readonly number[];
  /** The root storage is the first; the other entries are those in it, then those of embedded objects. */
  readonly streams: readonly CompoundStream[];
  #inRoot = 0;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sectorBytes = 1 << Math.min(16, Math.max(7, bytes.readUInt16LE(30)));
    this.#table = this.#readTable();
    this.streams = this.#readDirectory(bytes.readUInt32LE(48));
  }

  static of(bytes: Buffer): CompoundFile | undefined {
    return bytes.length >= 512 && bytes.subarray(0, 8).equals(MAGIC) ? new CompoundFile(bytes) : undefined;
  }

  /** A stream of the root storage; only if there is none, of an embedded object. */
  find(name: string): CompoundStream | undefined {
    return this.streams.find((stream) => stream.name === name);
  }

  /** Whether the root storage has an entry with this name: an embedded object does not say what the file is. */
  hasInRoot(name: string): boolean {
    return this.streams.slice(1, this.#inRoot).some((stream) => stream.name === name);
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

  #largePieces({ start, size }: CompoundStream): Buffer[] {
    const sectors = this.#chain(start, Math.ceil(size / this.#sectorBytes));
    return sectors.map((at) => this.#bytes.subarray(at, at + this.#sectorBytes));
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
    const bytes = this.#bytes;
    const places = this.#chain(start, MAX_COMPOUND_ENTRIES)
      .flatMap((sector) => Array.from({ length: this.#sectorBytes / 128 }, (_, i) => sector + 128 * i))
      .filter((at) => at + 128 <= bytes.length)
      .slice(0, MAX_COMPOUND_ENTRIES);
    const isUsed = (at: number): boolean => {
      const nameBytes = bytes.readUInt16LE(at + 64);
      return nameBytes >= 2 && nameBytes <= 64;
    };
    const [root] = places;
    const inRoot = new Set(root === undefined ? [] : [root]);
    // The entries of a storage are a binary tree: left and right sibling at 68 and 72, the first child at 76.
    const open = root === undefined ? [] : [bytes.readUInt32LE(root + 76)];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      const at = places[entry];
      if (at === undefined || inRoot.has(at)) continue;
      inRoot.add(at);
      open.push(bytes.readUInt32LE(at + 68), bytes.readUInt32LE(at + 72));
    }
    const ordered = [...inRoot, ...places.filter((at) => !inRoot.has(at))];
    this.#inRoot = [...inRoot].filter(isUsed).length;
    return ordered.filter(isUsed).map((at) => ({
      name: bytes.toString('utf16le', at, at + bytes.readUInt16LE(at + 64) - 2),
      size: bytes.readUInt32LE(at + 120),
      start: bytes.readUInt32LE(at + 116),
    }));
  }
}
