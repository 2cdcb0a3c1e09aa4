/**
 * Pages of one thing that several clients read through several replicas, while it changes where it lies.
 *
 * @module-tag slow
 */

import { describe, expect, onTestFinished, test } from 'vitest';
import { createOriel, type Oriel } from '../../../src/oriel.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { has } from '../../support/has.ts';
import { numberedObject, objectServer } from '../../support/objects.ts';
import { callOn, replicasOn, textOf } from '../../support/replicas.ts';
import { redisServer } from '../../support/stores.ts';
import { answering } from '../../support/web.ts';

interface Site {
  readonly url: string;
  version: string;
  lines: number;
  /** Answers with this status instead. */
  status: number;
  requests: number;
}

async function site(): Promise<Site> {
  const made = { url: '', version: 'one', lines: 2_000, status: 200, requests: 0 };
  const url = await answering((_, response) => {
    made.requests += 1;
    const text = Array.from({ length: made.lines }, (_line, i) => `${made.version} ${i + 1}\n`).join('');
    response.writeHead(made.status, { 'content-type': 'text/plain' }).end(text);
  });
  made.url = `${url}/page`;
  return made;
}

const CHANGED = 'was read again since, and has changed: lines may lie elsewhere';

describe.runIf(has('redis'))('reading from page to page', () => {
  const shared = replicasOn(redisServer);

  /** Reads on two replicas in the name of a client. */
  async function readers(): Promise<
    (replica: 0 | 1, client: string | false, path: string) => Promise<string>
  > {
    const replicas = await shared.twoHere({ web: { allow: ['127.0.0.1'] } });
    return async (replica, client, path) =>
      textOf(await callOn(replicas[replica].url, 'read', { path }, { client }));
  }

  test('a client keeps its version when others read newer ones', { tags: 'slow' }, async () => {
    const page = await site();
    const read = await readers();
    expect(await read(0, 'alice', page.url)).toContain('one 1\n');
    page.version = 'two';
    expect(await read(1, 'bob', `${page.url}:fresh`)).toContain('two 1\n');
    const hers = await read(0, 'alice', `${page.url}:301..302`);
    expect(hers).toContain('one 301\n');
    expect(hers).not.toContain(CHANGED);
    for (const replica of [0, 1] as const) {
      const his = await read(replica, 'bob', `${page.url}:301..302`);
      expect(his).toContain('two 301\n');
      expect(his).not.toContain(CHANGED);
    }
    // Nobody has hers any more: she is told so.
    const moved = await read(1, 'alice', `${page.url}:303..304`);
    expect(moved).toContain('two 303\n');
    expect(moved).toContain(CHANGED);
    expect(await read(1, 'alice', `${page.url}:305..306`)).not.toContain(CHANGED);
  });

  test('so do clients without a name', { tags: 'slow' }, async () => {
    const page = await site();
    const read = await readers();
    await read(1, false, page.url);
    page.version = 'two';
    expect(await read(0, false, `${page.url}:fresh`)).toContain('two 1\n');
    expect(await read(1, false, `${page.url}:301..302`)).toContain('two 301\n');
  });

  test('a large page continues on another replica without a request', { tags: 'slow' }, async () => {
    const page = await site();
    page.lines = 200_000;
    const read = await readers();
    expect(await read(0, 'alice', page.url)).toContain('one 1\n');
    page.version = 'two';
    const { requests } = page;
    for (const from of [301, 199_990])
      expect(await read(1, 'alice', `${page.url}:${from}..${from}`)).toContain(`one ${from}\n`);
    expect(page.requests).toBe(requests);
  });

  test('a replaced object is reported when others read it first', { tags: 'slow' }, async () => {
    const server = await objectServer({ box: { big: numberedObject(1 << 20, '"one"') } });
    const instance = (): Oriel => {
      const made = createOriel({
        roots: [temporaryFolder()],
        s3: true,
        cache: { directory: temporaryFolder() },
        state: { url: shared.store.url, key: 'k'.repeat(32), timeoutMs: 30_000, space: 'objects' },
      });
      onTestFinished(() => made.close());
      return made;
    };
    const [here, there] = [instance(), instance()];
    const read = async (of: Oriel, caller: object | undefined, path: string): Promise<string> => {
      const { content } = await of.tool('read').run({ path }, caller ? { caller } : {});
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    };
    const replaced = 's3://box/big was replaced since it was last read: lines and bytes may lie elsewhere';
    const [x, y] = [{}, {}];
    await read(here, x, 's3://box/big');
    await read(here, undefined, 's3://box/big');
    server.buckets = { box: { big: numberedObject(1 << 20, '"two"') } };
    expect(await read(here, y, 's3://box/big')).not.toContain(replaced);
    expect(await read(here, x, 's3://box/big:801..802')).toContain(replaced);
    expect(await read(here, x, 's3://box/big:803..804')).not.toContain(replaced);
    expect(await read(here, y, 's3://box/big:801..802')).not.toContain(replaced);
    // On another replica too.
    expect(await read(there, undefined, 's3://box/big:801..802')).toContain(replaced);
  });

  test.each([
    ['a newer version', 200],
    ['that a page is gone', 404],
  ])('versions read without the store are known afterwards: %s', { tags: 'slow' }, async (_, status) => {
    const page = await site();
    const cut = await redisServer();
    const directory = temporaryFolder();
    const instance = (cache = directory): Oriel =>
      createOriel({
        roots: [temporaryFolder()],
        web: { allow: ['127.0.0.1'] },
        cache: { directory: cache },
        state: { url: cut.url, key: 'k'.repeat(32), timeoutMs: 2_000 },
      });
    const read = async (of: Oriel, path: string): Promise<string> => {
      const { content } = await of.tool('read').run({ path });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    };
    const one = instance();
    expect(await read(one, page.url)).toContain('one 1\n');
    cut.freeze();
    [page.version, page.status] = ['two', status];
    expect(await read(one, `${page.url}:fresh`)).toContain(status === 200 ? 'two 1\n' : '404');
    await one.close();
    cut.thaw();
    const { requests } = page;
    // A process that begins anew, with the cache of that machine.
    const again = instance();
    const part = await read(again, `${page.url}:301..302`);
    expect(part).not.toContain('one 301');
    if (status === 200) expect([part.includes('two 301\n'), page.requests]).toEqual([true, requests]);
    await again.close();
    await cut.stop();
  });
});
