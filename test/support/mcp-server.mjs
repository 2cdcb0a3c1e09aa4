// An MCP server over stdio, made with the SDK: resources of every kind, some of which misbehave.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [note = '', mark] = process.argv.slice(2);
const notes = existsSync(note) ? readFileSync(note, 'utf8') : '# One\nline 2\nline 3\n';
if (mark) {
  // A child process that outlives its parent: it does not read its input.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(mark, `${process.pid} ${child.pid}`);
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const text = (uri, body, mimeType = 'text/plain') => ({
  contents: [{ uri: String(uri), mimeType, text: body }],
});
let reads = 0;

// Files in the folder `files` next to the notes: some are listed, others are only available through a template.
const files = join(dirname(note), 'files');
const file = (uri, name) => ({
  contents: [{ uri: String(uri), blob: readFileSync(join(files, name)).toString('base64') }],
});

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
  for (const name of existsSync(files) ? readdirSync(files) : []) {
    add(name, `doc://${name}`, {}, (uri) => file(uri, name));
  }
  add('list', 'note:list', {}, (uri) => text(uri, 'listed\n'));
  mcp.registerResource(
    'by-part',
    new ResourceTemplate('note:list:{part}', { list: undefined }),
    {},
    (uri, { part }) => text(uri, `${part} of the list\n`),
  );
  mcp.registerResource(
    'by-file',
    new ResourceTemplate('any://files/{name}', { list: undefined }),
    {},
    (uri, { name }) => file(uri, name),
  );
  mcp.registerResource(
    'by-name',
    new ResourceTemplate('echo://{name}', { list: undefined }),
    { description: 'says its name' },
    (uri, { name }) => text(uri, `${name}\nsecond\n`),
  );
  return mcp;
};

serveStdio(server);
