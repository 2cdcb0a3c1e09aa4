import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AppUnderTest, serveOffer, openOffer } from '../../support/app.ts';
import { server } from '../../support/server.ts';
import { SECRET, workspace } from '../../support/workspace.ts';

interface Lines {
  readonly success: boolean;
  readonly file_size: number;
  readonly total_lines: number;
  readonly lines_read: number;
  readonly content: string;
  readonly error: string;
}

const nothing: Lines = {
  success: false,
  file_size: 0,
  total_lines: 0,
  lines_read: 0,
  content: '',
  error: '',
};

interface Files {
  readonly W: string;
  lines(path: string, query?: Record<string, number>): Promise<Lines>;
  status(query: string): Promise<[number, unknown]>;
}

/** With `uid` in a process of that user. */
async function files(make: (W: string) => void, uid?: number): Promise<Files> {
  const { W } = workspace();
  // Readable for the user as whom the server runs.
  chmodSync(dirname(W), 0o755);
  make(W);
  const running = uid === undefined ? await serving(W) : await server(['--cwd', W], { uid });
  const get = (query: string): Promise<Response> => running.get(`/api/v0/read-file-lines?${query}`);
  return {
    W,
    async lines(path, query = {}) {
      const parameters = new URLSearchParams({ path: join(W, path) });
      for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
      const response = await get(parameters.toString());
      expect(response.status).toBe(200);
      return (await response.json()) as Lines;
    },
    async status(query) {
      const response = await get(query);
      return [response.status, await response.json()];
    },
  };
}

function serving(W: string): Promise<AppUnderTest> {
  const offer = openOffer({ cwd: W, manyClients: true });
  return serveOffer(offer);
}

describe('TestReadFileLines', () => {
  const basic = (W: string): void => writeFileSync(join(W, 'basic'), 'line1\nline2\nline3');

  test('NoPath', { tags: 'slow' }, async () => {
    const { status } = await files(basic);
    const wanted = [
      400,
      {
        message: 'Query parameters have invalid values.',
        code: 'BAD_INPUT',
        validations: [{ field: 'path', detail: '"path" is required' }],
      },
    ];
    expect(await status('path=&offset=0&limit=0')).toEqual(wanted);
    expect(await status('')).toEqual(wanted);
  });

  test('RelativePath', { tags: 'slow' }, async () => {
    const { status } = await files(basic);
    expect(await status('path=relative/path&offset=0&limit=0')).toEqual([
      200,
      { ...nothing, error: 'file path must be absolute: "relative/path"' },
    ]);
  });

  test('BasicRead', { tags: 'slow' }, async () => {
    const { lines } = await files(basic);
    expect(await lines('basic', { offset: 0, limit: 0 })).toEqual({
      success: true,
      file_size: 17,
      total_lines: 3,
      lines_read: 3,
      content: '1\tline1\n2\tline2\n3\tline3',
      error: '',
    });
  });
});

test('parameters that make no sense are named', { tags: 'slow' }, async () => {
  const { W, status } = await files((root) => writeFileSync(join(root, 'f'), 'x'));
  const path = encodeURIComponent(join(W, 'f'));
  for (const [query, field, detail] of [
    ['offset=-1', 'offset', '"offset" value is negative'],
    ['offset=1&offset=2', 'offset', '"offset" provided more than once'],
    ['offset=1.5', 'offset', '"offset" must be a whole number'],
    ['limit=x', 'limit', '"limit" must be a whole number'],
    ['limit=1e3', 'limit', '"limit" must be a whole number'],
    ['max_file_size=8388609', 'max_file_size', '"max_file_size" must be at most 8388608'],
    ['max_response_bytes=999999999', 'max_response_bytes', '"max_response_bytes" must be at most 262144'],
    ['colour=red', 'colour', '"colour" is not a parameter of this route'],
  ]) {
    expect(await status(`path=${path}&${query}`)).toEqual([
      400,
      {
        message: 'Query parameters have invalid values.',
        code: 'BAD_INPUT',
        validations: [{ field, detail }],
      },
    ]);
  }
});

test('the walls hold', { tags: 'slow' }, async () => {
  const { W, status } = await files((root) => writeFileSync(join(root, 'f'), 'x'));
  for (const path of [join(W, '../outside/secret.txt'), '/etc/passwd', `${W}/%00`, `/proc/self/environ`]) {
    const [code, body] = await status(`path=${path}`);
    expect([path, code]).toEqual([path, 200]);
    expect(body).toMatchObject({ success: false, content: '' });
    expect(JSON.stringify(body)).not.toContain(SECRET);
  }
});

test('limits of 1, empty parameters, and counts of changed text', { tags: 'slow' }, async () => {
  const { W, lines, status } = await files((root) => {
    writeFileSync(join(root, 'f'), 'one\ntwo\n');
    writeFileSync(join(root, 'hidden'), '\ufeffa\u0001\n');
  });
  expect((await lines('f', { max_response_bytes: 1 })).error).toMatch(/^output would exceed 1 bytes\./);
  expect((await lines('f', { max_response_lines: 1, limit: 2 })).error).toMatch(
    /^output would exceed 1 lines\./,
  );
  expect((await lines('f', { max_file_size: 1 })).error).toMatch(/exceeds the maximum of 1 bytes\./);
  expect((await lines('f', { max_line_bytes: 1 })).content).toBe('1\to... [truncated]\n2\tt... [truncated]');
  const [code, body] = await status(`path=${encodeURIComponent(join(W, 'f'))}&offset=&limit=`);
  expect([code, body]).toEqual([200, expect.objectContaining({ lines_read: 2 })]);
  expect(await lines('hidden')).toMatchObject({ escaped_characters: 1, byte_order_mark: true });
});
