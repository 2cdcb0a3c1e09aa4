/** Files on the web that are too large to fetch completely: by ranges, if the server supports them. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { lineOf, numberedObject } from '../../support/objects.ts';
import { site } from '../../support/web.ts';

const SIZE = 10 * 2 ** 30;

interface Served {
  etag: string;
  read: (start: number, end: number) => Uint8Array;
  hasRanges: boolean;
  readonly ranges: (string | undefined)[];
  readonly page: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A log of 10 GiB; without a range as much of it is sent as is taken. */
function largeLog(accepts = 'bytes'): Served {
  const served: Served = {
    etag: '"one"',
    read: numberedObject(SIZE).read,
    hasRanges: accepts === 'bytes',
    ranges: [],
    page({ headers }, response) {
      const { read } = served;
      served.ranges.push(headers.range);
      response.setHeader('content-type', 'text/plain').setHeader('etag', served.etag);
      response.setHeader('accept-ranges', accepts);
      if (headers['if-match'] !== undefined && headers['if-match'] !== served.etag)
        return void response.writeHead(412).end();
      const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
      if (!served.hasRanges || headers.range === undefined) {
        response.writeHead(200, { 'content-length': SIZE });
        let at = 0;
        const send = (): void => {
          while (!response.destroyed) {
            at += 65_536;
            if (!response.write(read(at - 65_536, at))) return void response.once('drain', send);
          }
        };
        return send();
      }
      const start = from === '' ? SIZE - Number(to) : Number(from);
      const end = from === '' ? SIZE : Math.min(Number(to) + 1, SIZE);
      response
        .writeHead(206, {
          'content-range': `bytes ${start}-${end - 1}/${SIZE}`,
          'content-length': end - start,
        })
        .end(read(start, end));
    },
  };
  return served;
}

const web = { allow: ['127.0.0.1'] };

test('pages of a large log use ranges, its end too', async () => {
  const log = largeLog();
  const { url } = await site({ '/big.log': log.page });
  const here = place('oriel', { display: 'plain', web });
  const read = async (path: string): Promise<[string, number]> => {
    const before = log.ranges.length;
    const { text } = await here.call('read', { path });
    return [text, log.ranges.length - before];
  };
  const [first, requests] = await read(`${url}/big.log`);
  expect(first.startsWith(lineOf(1) + lineOf(2))).toBe(true);
  expect(first).toContain(`Use ${url}/big.log:`);
  // The page, which turns out to be large, and then a range of it.
  expect(requests).toBe(2);
  const [middle, more] = await read(`${url}/big.log:@${SIZE / 2}+64K`);
  expect(middle.startsWith(lineOf(SIZE / 2 / 64 + 1))).toBe(true);
  expect(more).toBe(1);
  const [end, last] = await read(`${url}/big.log:-3`);
  expect(end.startsWith(lineOf(SIZE / 64 - 2) + lineOf(SIZE / 64 - 1) + lineOf(SIZE / 64))).toBe(true);
  expect(last).toBe(1);
  log.etag = '"two"';
  expect((await read(`${url}/big.log:@${SIZE / 2}+64K`))[0]).toContain('was replaced since it was last read');
});

test('a server without ranges: the beginning is read, with a notice', { tags: 'slow' }, async () => {
  const log = largeLog('none');
  const { url } = await site({ '/big.log': log.page });
  const here = place('oriel', { web });
  const read = async (rest: string): Promise<string> =>
    (await here.call('read', { path: `${url}/big.log${rest}` })).text;
  const first = await read('');
  expect(first).toContain('Method: text\n');
  expect(first).toContain(`1|${lineOf(1)}2|${lineOf(2)}`);
  expect(first).toContain('[Only the first 8 MiB of the body were read: it is longer]');
  expect(log.ranges).toEqual([undefined]);
  expect(await read(':1000..1001')).toContain(`1000|${lineOf(1000)}1001|${lineOf(1001)}`);
  expect(await read('')).toBe(first);
  log.etag = '"two"';
  log.read = (start, end) => Buffer.alloc(end - start, 'changed\n');
  expect(await read(':2..3')).toContain(`2|${lineOf(2)}3|${lineOf(3)}`);
  expect(log.ranges).toHaveLength(1);
  expect(await read(':fresh')).toContain('1|changed\n2|changed\n');
  expect(log.ranges).toHaveLength(2);
});

test('a full reply to a first range fails, then succeeds', async () => {
  const log = largeLog();
  const { url } = await site({
    '/big.log'(request, response) {
      // The page and a range are before it.
      log.hasRanges = log.ranges.length !== 2;
      log.page(request, response);
    },
  });
  const here = place('oriel', { display: 'plain', web });
  const read = async (): Promise<string> =>
    (await here.call('read', { path: `${url}/big.log:@${SIZE / 2}+64K` })).text;
  expect(await read()).toContain('sends the whole file when a range is requested');
  expect(await read()).toContain(lineOf(SIZE / 2 / 64 + 1));
});
