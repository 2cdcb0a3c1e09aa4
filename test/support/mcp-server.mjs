// A server of the Model Context Protocol over stdio, made with its SDK: resources of every kind, and bad manners.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [note = '', mark] = process.argv.slice(2);
const notes = existsSync(note) ? readFileSync(note, 'utf8') : '# One\nline 2\nline 3\n';
if (mark) {
  // What it starts ignores the end of its input.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(mark, `${process.pid} ${child.pid}`);
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const text = (uri, body, mimeType = 'text/plain') => ({
  contents: [{ uri: String(uri), mimeType, text: body }],
});
let reads = 0;

const server = () => {
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' });
  const add = (name, uri, meta, read) => mcp.registerResource(name, uri, meta, read);
  add('one', 'note://one', { description: 'the first note' }, (uri) => text(uri, notes, 'text/markdown'));
  add('ranged', 'note:list:1..2', {}, (uri) => text(uri, 'a literal name\n'));
  add('count', 'note://count', {}, (uri) => text(uri, `read ${(reads += 1)}\nsecond line\n`));
  add('env', 'note://env', {}, (uri) => text(uri, `${Object.keys(process.env).sort().join('\n')}\n`));
  add('fds', 'note://fds', {}, (uri) => text(uri, `${readdirSync('/proc/self/fd').join(' ')}\n`));
  add('picture', 'note://picture', {}, (uri) => ({
    contents: [{ uri: String(uri), mimeType: 'image/png', blob: png }],
  }));
  add('folder', 'note://folder', {}, (uri) => ({
    contents: [
      { uri: `${uri}/a`, text: 'a\n' },
      { uri: `${uri}/b`, mimeType: 'image/png', blob: png },
    ],
  }));
  add('none', 'note://none', {}, () => ({ contents: [] }));
  add('slow', 'note://slow', {}, () => new Promise(() => {}));
  add('huge', 'note://huge', {}, (uri) => text(uri, 'x'.repeat(20 << 20)));
  add('end', 'note://end', {}, () => process.exit(3));
  mcp.registerResource(
    'by-name',
    new ResourceTemplate('echo://{name}', { list: undefined }),
    { description: 'says its name' },
    (uri, { name }) => text(uri, `${name}\nsecond\n`),
  );
  return mcp;
};

serveStdio(server);
