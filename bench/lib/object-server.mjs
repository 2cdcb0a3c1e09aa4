// A server on loopback that serves ranges of an object like S3, and counts requests and bytes. The object is generated on
// the fly: lines of 64 bytes with their numbers.
import { once } from 'node:events';
import { createServer } from 'node:http';

const LINE = 64;

export async function objectServer(size) {
  const counted = { requests: 0, bytes: 0 };
  const server = createServer((request, response) => {
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
    const end = from === '' ? size : Math.min(Number(to) + 1, size);
    const body = partOf(start, end);
    counted.requests += 1;
    counted.bytes += body.length;
    response
      .writeHead(206, {
        etag: '"of-the-bench"',
        'last-modified': 'Fri, 01 May 2026 10:00:00 GMT',
        'content-range': `bytes ${start}-${end - 1}/${size}`,
        'content-length': body.length,
      })
      .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The counts since the last call. */
    take() {
      const { requests, bytes } = counted;
      Object.assign(counted, { requests: 0, bytes: 0 });
      return { requests, bytes };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function partOf(start, end) {
  const first = Math.floor(start / LINE);
  const lines = [];
  for (let no = first + 1; (no - 1) * LINE < end; no += 1)
    lines.push(`${`line ${no} `.padEnd(LINE - 1, '.')}\n`);
  return Buffer.from(lines.join('').slice(start - first * LINE, end - first * LINE));
}
