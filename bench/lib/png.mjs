// PNG files from their parts.
import { crc32 } from 'node:zlib';

/** A true-colour image of these chunks (`[type, data]`) after its header. */
export function png(width, height, chunks) {
  const header = Buffer.from('00000000000000000802000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const parts = [['IHDR', header], ...chunks, ['IEND', Buffer.alloc(0)]].flatMap(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return [length, body, sum];
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}
