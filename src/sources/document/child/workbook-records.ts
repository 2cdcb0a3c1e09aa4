/** Repairs the records of a binary workbook that SheetJS reads wrongly, or at which it loops. Source: [MS-XLS]. */

/** Types of records. */
const [LINK, LINK_TOOLTIP] = [0x01b8, 0x0800];
/** A type that no record has: it is skipped. */
const NO_TYPE = 0xfff4;

/** SheetJS visits each cell of the area of a link. The most cells of all areas, which take half a second. */
const MOST_LINKED = 1_000_000;

/**
 * Changes `records` in place; whether it changed anything.
 * - Links beyond `MOST_LINKED` cells are left out, and so are the tooltips of links, which are not shown.
 * - Behind the last record SheetJS ignores zeros. Other bytes that are too few for a record make it loop for ever.
 */
export function repairRecords(records: Buffer): boolean {
  let isRepaired = false;
  let linked = 0;
  let at = 0;
  for (let length = 0; at + 4 <= records.length; at += 4 + length) {
    const type = records.readUInt16LE(at);
    length = records.readUInt16LE(at + 2);
    const body = records.subarray(at + 4, at + 4 + length);
    if (type === LINK && linked + cellsOf(body) <= MOST_LINKED) {
      linked += cellsOf(body);
    } else if (type === LINK || type === LINK_TOOLTIP) {
      records.writeUInt16LE(NO_TYPE, at);
      isRepaired = true;
    }
  }
  if (records.subarray(at).every((byte) => byte === 0)) return isRepaired;
  records.fill(0, at);
  return true;
}

/** The first record of a workbook since Excel 97, in which texts are in UTF-16: BOF of version 6. */
const BOF = 0x0809;
const VERSION = 0x0600;

/** Whether texts are in a code page. */
export function hasCodePage(records: Buffer): boolean {
  return records.length >= 6 && !(records.readUInt16LE(0) === BOF && records.readUInt16LE(4) === VERSION);
}

/** The number of cells of the area with which a link begins; infinite if it is incomplete. */
function cellsOf(body: Buffer): number {
  if (body.length < 8) return Number.POSITIVE_INFINITY;
  const [top = 0, bottom = 0, left = 0, right = 0] = [0, 2, 4, 6].map((at) => body.readUInt16LE(at));
  return Math.max(0, bottom - top + 1) * Math.max(0, right - left + 1);
}
