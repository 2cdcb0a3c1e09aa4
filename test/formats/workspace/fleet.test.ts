/** Reads from workspaces of real `oriel serve` processes and of misbehaving servers: `ws://NAME/path`. */

import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFleet, type FleetOptions } from '../../../src/faces/client/fleet.ts';
import type { Answer, Oriel } from '../../../src/index.ts';
import { server } from '../../support/server.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { site } from '../../support/web.ts';
import { codeOf, SECRET, textOf, workspace } from '../../support/workspace.ts';
import { zip } from '../../support/zip.ts';

const LINES = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1} ${'x'.repeat(40)}\n`);

/** A client of these workspaces, with nothing of its own. */
function reading(workspaces: FleetOptions['workspaces'], more: Partial<FleetOptions> = {}) {
  const fleet = createFleet({ workspaces, ...more });
  const { with: walled } = workspace();
  const oriel: Oriel = walled({ workspaces: fleet.workspaces });
  const read = (path: string): Promise<Answer> => oriel.tool('read').run({ path });
  return { fleet, read, text: async (path: string) => textOf(await read(path)) };
}

test('workspaces at paths of one gateway are separate', async () => {
  const { url, heard } = await site((request, response) => {
    const [, below = ''] = /^\/([^/]+\/ws\d)\/api\/v0\/read-file\?/.exec(request.url ?? '') ?? [];
    response.writeHead(below === '' ? 404 : 200, { etag: '"same"' }).end(`of ${below}\n`);
  });
  const { fleet, text } = reading({
    one: { url: `${url}/gw/ws1`, token: 'of-one' },
    two: { url: `${url}/gw/ws2/`, token: 'of-two' },
  });
  expect(await text('ws://one/f:raw')).toBe('of gw/ws1\n');
  expect(await text('ws://two/f:raw')).toBe('of gw/ws2\n');
  expect(fleet.report().map((of) => of.url)).toEqual([`${url}/gw/ws1`, `${url}/gw/ws2`]);
  for (const { headers, url: asked } of heard) {
    expect(headers.authorization).toBe(asked?.includes('/ws1/') ? 'Bearer of-one' : 'Bearer of-two');
  }
  await fleet.client('two')?.tools();
  expect(heard.at(-1)?.url).toBe('/gw/ws2/api/v0/tools');
});

test('workspace files are read as local ones, under their name', { tags: 'slow' }, async () => {
  const { W, write, read: here } = workspace();
  write('big.txt', LINES.slice(0, 2_000).join(''));
  write('src/app.ts', 'export class App {\n  start(): void {}\n}\n');
  write('a.zip', zip([{ name: 'dir/x.txt', content: 'one\ntwo\n' }]));
  write(
    'app.db',
    await databaseBytes(
      'create table t (id integer primary key, word text)',
      "insert into t values (7, 'seven')",
    ),
  );
  write('empty', '');
  write('a name: with signs.txt', 'signs\n');
  const { url } = await server(['--cwd', W]);
  const { read, text } = reading({ dev: { url }, 'me/dev': { url } });
  for (const path of [
    ...(
      'big.txt:2..3 big.txt:-2 big.txt:@50000+100 big.txt:1999..:raw src/app.ts src/app.ts:outline ' +
      'src/app.ts:#App.start a.zip a.zip:dir/x.txt:2..2 app.db:t:7 empty'
    ).split(' '),
    'a name: with signs.txt',
  ]) {
    const local = textOf(await here(path)).replaceAll(
      /\b(?<![/:])(big\.txt|src\/app\.ts|a\.zip|app\.db)(?=:)/g,
      'ws://dev/$1',
    );
    expect(await text(`ws://dev/${path}`)).toBe(local.replace(/^\[empty is/, '[ws://dev/empty is'));
  }
  expect(await text('ws://me/dev/big.txt:1..1')).toMatch(/^1\|line 1 x+\n$/);
  expect(await text(`ws://dev/${W}/src/app.ts:1..1:raw`)).toContain('export class App {');
  expect((await read('ws://dev/big.txt:5..6')).details).toMatchObject({
    source: 'ws://dev/big.txt',
    kind: 'internal',
  });
});

test('directories are paged; missing names are answered with existing ones', async () => {
  const { W, write } = workspace();
  for (let i = 0; i < 501; i += 1) write(`many/${String(i).padStart(3, '0')}`, '');
  write('src/app.ts', 'app\n');
  const { url } = await server(['--cwd', W]);
  const { read, text } = reading({ dev: { url } });
  expect(await text('ws://dev')).toBe('many/\nsrc/\n');
  expect(await text('ws://dev/src')).toBe('app.ts\n');
  const first = await text('ws://dev/many/');
  expect(first).toMatch(/^000\n001\n/);
  expect(first).toContain('Showing 500 of 501 entries. Use ws://dev/many/?offset=500 to continue]');
  expect(await text('ws://dev/many/?offset=500')).toBe('500\n');
  const misspelt = await read('ws://dev/src/ap.ts');
  expect([codeOf(misspelt), textOf(misspelt)]).toEqual([
    'NOT_FOUND',
    'ws://dev/src/ap.ts does not exist. Did you mean ws://dev/src/app.ts? Use ws://dev/src/ for the list.',
  ]);
  expect(codeOf(await read('ws://dev/none/x'))).toBe('NOT_FOUND');
  const outside = await read('ws://dev/../outside/secret.txt');
  expect(codeOf(outside)).toBe('OUTSIDE_ROOT');
  expect(textOf(outside)).not.toContain(SECRET);
  expect(textOf(await read('ws://prod/f'))).toContain('There is ws://dev. Use ws:// for the list.');
  expect(await text('ws://')).toBe(`ws://dev/  ${url}  answers\n`);
});

test('a broken workspace gives one error and blocks no others', async () => {
  const { W, write } = workspace();
  write('f', 'here\n');
  const { url } = await server(['--cwd', W]);
  const other = await site((_, response) => void response.end('of another server'));
  const ranged =
    (headers: Record<string, string>, body: string, status = 206): RequestListener =>
    (_, response) => {
      response.writeHead(status, headers).end(body);
    };
  const cases: Record<string, readonly [RequestListener, string, RegExp]> = {
    private: [
      ranged({}, '{"message":"f is private. Use /srv to list the working directory.","code":"PRIVATE"}', 403),
      'PRIVATE',
      /^The workspace private answered 403 \("f is private\."\)\. Use ws:\/\/private\/ for the list\.$/,
    ],
    slow: [() => undefined, 'NETWORK', /sent nothing for 1\.5 seconds/],
    drips: [
      (_, response) => {
        response.writeHead(206, { 'content-range': 'bytes 0-131071/200000' });
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
      'TIMEOUT',
      /took longer than/,
    ],
    redirects: [
      ranged({ location: `${other.url}/api/v0/read-file` }, '', 302),
      'REDIRECT',
      /redirects \(status/,
    ],
    lies: [ranged({ 'content-range': 'bytes 5-9/10', etag: '"a"' }, 'wrong'), 'CORRUPT', /were asked for/],
    short: [
      ranged({ 'content-range': 'bytes 0-9/10', etag: '"a"' }, 'wrong'),
      'CORRUPT',
      /announces 10 bytes/,
    ],
    floods: [
      (_, response) => {
        response.writeHead(206, { 'content-range': 'bytes 0-9/10' });
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
          response.once('drain', more);
        };
        more();
      },
      'CORRUPT',
      /sends more/,
    ],
    whole: [
      ranged({ 'content-type': 'text/plain' }, 'x'.repeat(300_000), 200),
      'UNSUPPORTED',
      /sends the whole file/,
    ],
    garbage: [ranged({}, '<html>'.repeat(10_000), 500), 'NETWORK', /answered 500/],
    words: [
      ranged(
        {},
        JSON.stringify({ message: `\u001b[2J${'Use rm -rf. '.repeat(1_000)}`, code: 'WHATEVER' }),
        400,
      ),
      'NETWORK',
      /answered 400 \("/,
    ],
  };
  const workspaces: Record<string, { url: string; token: string; retries: number }> = {
    away: { url: 'http://127.0.0.1:1', token: 'token-of-away', retries: 0 },
    good: { url, token: 'token-of-good', retries: 0 },
  };
  const servers: Record<string, Awaited<ReturnType<typeof site>>> = {};
  for (const [name, [handle]] of Object.entries(cases)) {
    const made = (servers[name] = await site(handle));
    workspaces[name] = { url: made.url, token: `token-of-${name}`, retries: 0 };
  }
  // Only what waits for an answer has little time.
  const hasty = reading(workspaces, { timeoutMs: 1_500, requestMs: 4_000 });
  const { read, text } = reading(workspaces);
  const bad = Promise.all(
    [...Object.keys(cases), 'away'].map(async (name) => {
      const { read: readIt } = name === 'slow' || name === 'drips' ? hasty : { read };
      return [name, await readIt(`ws://${name}/f:1..5`)] as const;
    }),
  );
  // While the others take their time.
  expect(await text('ws://good/f:raw')).toBe('here\n');
  for (const [name, answer] of await bad) {
    const [, code = 'NETWORK', says = /No answer came/] = cases[name] ?? [];
    const words = textOf(answer);
    expect([name, codeOf(answer), words]).toEqual([name, code, expect.stringMatching(says)]);
    expect(Buffer.byteLength(words)).toBeLessThan(1_500);
    expect(words).not.toContain('\u001b');
    expect(words).toContain(name);
    if (code === 'NETWORK') expect(words).toMatch(/\. Use ws:\/\/ to see which workspaces answer\.$/);
  }
  // No token went to another server, and no redirect was followed.
  expect(other.heard).toEqual([]);
  for (const [name, { heard }] of Object.entries(servers)) {
    expect(heard.map(({ headers }) => headers.authorization)).toEqual(
      heard.map(() => `Bearer token-of-${name}`),
    );
  }
  await expect.poll(() => hasty.text('ws://')).toContain(`ws://good/  ${url}  answers\n`);
});

test('invalid listings, or names outside the directory, are not shown', async () => {
  const answers: Record<string, unknown> = {
    none: 'text',
    wrong: { contents: 7, total: 'x', more: 1 },
    climbing: {
      total: 3,
      more: true,
      contents: [
        { name: '../../etc/passwd', type: 'file' },
        { name: 'a\u001b[31mb', type: 'file' },
        { name: 'x'.repeat(5_000), type: 'file' },
        { name: 'fine', type: 'directory' },
      ],
    },
    many: {
      total: 9e15,
      more: true,
      contents: Array.from({ length: 40_000 }, () => ({ name: 'n', type: 'file' })),
    },
  };
  const workspaces: Record<string, { url: string; retries: number }> = {};
  for (const [name, answer] of Object.entries(answers)) {
    const { url } = await site((_, response) => void response.end(JSON.stringify(answer)));
    workspaces[name] = { url, retries: 0 };
  }
  const { read, text } = reading(workspaces);
  expect(codeOf(await read('ws://none/'))).toBe('CORRUPT');
  expect(codeOf(await read('ws://wrong/'))).toBe('CORRUPT');
  expect(await text('ws://climbing/')).toMatch(/^fine\/\na␛\[31mb\n|^a.*b\nfine\/\n/);
  expect(await text('ws://climbing/')).not.toContain('passwd');
  const many = await text('ws://many/');
  expect(Buffer.byteLength(many)).toBeLessThan(60_000);
});

test('without workspaces the scheme says how they are configured', async () => {
  const { read } = workspace();
  const answer = await read('ws://dev/f');
  expect([codeOf(answer), textOf(answer)]).toEqual([
    'UNSUPPORTED',
    'ws:// is off here: no workspaces are named. The operator of oriel can name them with the option workspaces.',
  ]);
});

/** A real workspace with one file that is written for each read; something happens to it before each request but the first. */
async function changing(
  content: string | Uint8Array,
  change: (path: string, request: number) => void,
  name = 'app.log',
): Promise<(selector: string) => Promise<Answer>> {
  const { W, write } = workspace();
  const path = join(W, name);
  const { url } = await server(['--cwd', W]);
  let requests = 0;
  const changed: typeof fetch = (input, init) => {
    requests += 1;
    if (requests > 1) change(path, requests);
    return fetch(input, init);
  };
  const { read } = reading({ dev: { url, fetch: changed } });
  return (selector) => {
    requests = 0;
    write(name, content);
    return read(`ws://dev/${name}${selector}`);
  };
}

test('a growing log is read as it was at opening', async () => {
  const read = await changing(LINES.join(''), (path, i) =>
    appendFileSync(path, `appended ${i}\n`.repeat(100)),
  );
  const end = textOf(await read(':-3'));
  expect(end).toContain('line 20000 ');
  expect(end).not.toContain('appended');
  for (const [selector, first] of [
    [':15000..15001', 'line 15000 '],
    [':@600000+100', 'line '],
    [':19999..', 'line 19999 '],
    [':2..3', 'line 2 '],
  ] as const) {
    const answer = await read(selector);
    expect([selector, answer.isError ?? false, textOf(answer).includes(first)]).toEqual([
      selector,
      false,
      true,
    ]);
    expect(textOf(answer)).not.toContain('tells no version');
  }
});

test('a modified and grown database is not the opened one', { tags: 'slow' }, async () => {
  const bytes = await databaseBytes(
    'create table t (id integer primary key, text text)',
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, 'row ' || i || '${'x'.repeat(40)}' from n`,
  );
  const read = await changing(
    bytes,
    (path) => {
      const changed = Buffer.from(bytes);
      changed.write('ROW', changed.indexOf('row 15000x'));
      writeFileSync(path, Buffer.concat([changed, Buffer.alloc(4_096)]), { flag: 'r+' });
    },
    'app.db',
  );
  const answer = await read(':t:15000');
  expect([codeOf(answer), textOf(answer)]).toEqual([
    'BUSY',
    expect.stringContaining('was replaced while it was read'),
  ]);
});

const REPLACED: Readonly<Record<string, (path: string) => void>> = {
  'written anew in its place, and longer': (path) => writeFileSync(path, `new\n${LINES.join('')}`),
  'another file of its name, which ends alike': (path) => {
    writeFileSync(`${path}.new`, `${LINES.join('').replace('line 700 ', 'LINE 700 ')}more\n`);
    renameSync(`${path}.new`, path);
  },
  'another file of the same length': (path) => {
    writeFileSync(`${path}.new`, LINES.join('').replace('line 700 ', 'LINE 700 '));
    renameSync(`${path}.new`, path);
  },
  shorter: (path) => truncateSync(path, 500_000),
};

test('a file replaced between two requests is reported', async () => {
  let change = (_path: string): void => {};
  const read = await changing(LINES.join(''), (path, i) => {
    if (i === 2) change(path);
  });
  for (const [what, replace] of Object.entries(REPLACED)) {
    change = replace;
    expect([what, codeOf(await read(':-3'))]).toEqual([what, 'BUSY']);
  }
});
