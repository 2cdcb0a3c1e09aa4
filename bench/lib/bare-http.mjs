// A minimal server of numbered lines: no checks, no limits, the whole file in memory.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const server = createServer(async (incoming, outgoing) => {
  const path = new URL(incoming.url, 'http://localhost').searchParams.get('path');
  const lines = (await readFile(path, 'utf8')).split('\n');
  const content = lines.map((line, i) => `${i + 1}\t${line}`).join('\n');
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify({ success: true, total_lines: lines.length, content }));
});
server.listen(0, '127.0.0.1', () => console.error(`"address":"http://127.0.0.1:${server.address().port}"`));
