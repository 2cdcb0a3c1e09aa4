/** The exit code of `oriel read` of a page tells whether there was one. */

import { expect, test } from 'vitest';
import { runAsync } from '../../support/warm-cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { site } from '../../support/web.ts';

test('exits 0 with a page, 1 without, 2 on failure', { tags: 'slow' }, async () => {
  const cwd = temporaryFolder();
  const env = { ...process.env, XDG_CACHE_HOME: cwd };
  const codes = { 200: 0, 403: 2, 404: 1, 410: 1, 429: 2, 500: 2, 503: 2 };
  const { url } = await site(
    Object.fromEntries(
      Object.keys(codes).map((status) => [
        `/${status}`,
        { status: Number(status), body: `<p>said with ${status}` },
      ]),
    ),
  );
  const read = (...urls: string[]) => runAsync(['read', '--allow-net', '127.0.0.1', ...urls], { cwd, env });
  for (const [status, code] of Object.entries(codes)) {
    const outcome = await read(`${url}/${status}`);
    expect(outcome, status).toMatchObject({ code });
    expect(outcome.out).toContain(`said with ${status}`);
  }
  expect(await read(`${url}/404:raw`)).toMatchObject({ code: 1 });
  expect(await read(`${url}/200`, `${url}/404`, `${url}/500`)).toMatchObject({ code: 2 });
});

test.each(['memory://nope?where=Amount>999', 'ws://nope/{x}'])(
  'a URL is not taken for a glob: %s',
  async (operand) => {
    const { code, err } = await runAsync(['read', operand], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(err).not.toContain('leave out the quotes');
  },
);

test('for a glob with a selector the glob alone is searched', async () => {
  const { err } = await runAsync(['read', 'src/*.ts:1..5'], { cwd: temporaryFolder() });
  expect(err).toBe(
    "oriel: No file is called 'src/*.ts:1..5'. To list the files that match, use oriel find 'src/*.ts'.\n",
  );
});

test.each(['book.xlsx:orders?where=Amount>3*2', 'ap.db?q=select * from t', 'ap.db:t?where=a=[1]'])(
  'a path with parameters is no glob: %s',
  async (operand) => {
    const { code, err } = await runAsync(['read', operand], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(err).toContain('does not exist');
    expect(err).not.toContain('oriel find');
  },
);
