// A minimal read: open, read, close, without checks and without an answer.
import { open } from 'node:fs/promises';

export function prepare({ input: { path } }) {
  const call = async () => {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64 << 10));
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return { call };
}
