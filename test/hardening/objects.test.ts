/**
 * Servers of objects that lie, change what they hold, or waste time: bounded, said, never a wrong byte.
 *
 * @module-tag slow
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { docx, paragraph } from '../support/documents.ts';
import { place } from '../support/dialect.ts';
import { makePng } from '../support/images.ts';
import { lineOf, numberedObject, objectServer, type ObjectServer } from '../support/objects.ts';

const TEXT = Array.from({ length: 20_000 }, (_, i) => lineOf(i + 1)).join('');

interface Hostile {
  readonly server: ObjectServer;
  read(path: string): Promise<{ text: string; isError: boolean; code: unknown; requests: number }>;
}

/** An object of 1.28 MB; `instead` answers the requests for it. */
async function hostile(
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<Hostile> {
  const server = await objectServer({ box: { big: TEXT } });
  server.instead = instead;
  const here = place('oriel', { display: 'plain' });
  return {
    server,
    async read(path) {
      const before = server.heard.length;
      const { text, isError, details } = await here.call('read', { path });
      const { code } = (details['error'] ?? {}) as { code?: unknown };
      return { text, isError, code, requests: server.heard.length - before };
    },
  };
}

const part = (response: ServerResponse, range: string, body: string | Uint8Array, headers = {}): true => {
  response.writeHead(206, { 'content-range': range, etag: '"x"', ...headers }).end(body);
  return true;
};

const wrong: readonly [string, string, (response: ServerResponse) => true][] = [
  [
    'O1 another range than was asked for',
    'CORRUPT',
    (response) => part(response, 'bytes 1-64/1280000', TEXT.slice(1, 65)),
  ],
  ['O2 a range without a size', 'CORRUPT', (response) => part(response, 'bytes 0-63/*', TEXT.slice(0, 64))],
  ['O3 no word of which range it is', 'CORRUPT', (response) => part(response, '', TEXT.slice(0, 64))],
  [
    'O4 a range beyond the size that it tells',
    'CORRUPT',
    (response) => part(response, 'bytes 0-63/10', TEXT.slice(0, 64)),
  ],
  [
    'O5 fewer bytes than it announces',
    'CORRUPT',
    (response) => part(response, 'bytes 0-131071/1280000', 'short'),
  ],
  [
    'O6 more bytes than it announces',
    'CORRUPT',
    (response) => part(response, 'bytes 0-63/1280000', TEXT.slice(0, 200_000)),
  ],
  [
    'O7 numbers that are not exact',
    'CORRUPT',
    (response) => part(response, 'bytes 0-63/9999999999999999', TEXT.slice(0, 64)),
  ],
  [
    'O8 all of it where a part is asked for',
    'UNSUPPORTED',
    (response) => {
      response.writeHead(200, { etag: '"x"', 'content-length': TEXT.length }).end(TEXT);
      return true;
    },
  ],
  [
    'O9 a redirect to a private address',
    'REDIRECT',
    (response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      return true;
    },
  ],
  [
    'O10 too many headers',
    'LIMIT',
    (response) => {
      for (let i = 0; i < 100; i += 1) response.setHeader(`x-${i}`, 'x'.repeat(1000));
      return part(response, 'bytes 0-63/1280000', TEXT.slice(0, 64));
    },
  ],
  [
    'O11 an end before the end',
    'NETWORK',
    (response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-131071/1280000', 'content-length': 131_072 });
      response.write('x');
      setImmediate(() => response.destroy());
      return true;
    },
  ],
  [
    'O12 an error that is no XML',
    'BUSY',
    (response) => {
      response.writeHead(503).end('\0<Code>');
      return true;
    },
  ],
  [
    'O13 an empty range of something that is not empty',
    'CORRUPT',
    (response) => {
      response.writeHead(416, { 'content-range': 'bytes */1280000' }).end();
      return true;
    },
  ],
];

test.each(wrong)('%s', async (_, code, answer) => {
  const { read } = await hostile((_request, response) => answer(response));
  const { isError, code: given, requests, text } = await read('s3://box/big');
  expect([isError, given]).toEqual([true, code]);
  expect(text.length).toBeLessThan(1000);
  expect(requests).toBe(1);
});

test('O14 versions of an object replaced between ranges never mix', async () => {
  const { read, server } = await hostile();
  let asked = 0;
  server.instead = () => {
    asked += 1;
    if (asked === 2) server.buckets = { box: { big: numberedObject(1 << 20, '"other"') } };
    return false;
  };
  const first = await read('s3://box/big:@600000+1K');
  expect([first.isError, first.code]).toEqual([true, 'BUSY']);
  expect(first.text).toBe(
    's3://box/big was replaced while it was read, and nothing of two versions is shown together. Use the same call again.',
  );
  const again = await read('s3://box/big:@600000+1K');
  expect(again.isError).toBe(false);
});

test('O15 without conditional requests, ETags of responses are compared', async () => {
  const { read, server } = await hostile();
  let asked = 0;
  server.instead = (request, response) => {
    asked += 1;
    const [, from = 0, to = 0] = /(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const [start, end] = [Number(from), Math.min(Number(to) + 1, TEXT.length)];
    return part(response, `bytes ${start}-${end - 1}/${TEXT.length}`, TEXT.slice(start, end), {
      etag: `"${asked}"`,
    });
  };
  expect(await read('s3://box/big:15000..15001')).toMatchObject({ isError: true, code: 'BUSY' });
});

test('O16 an object replaced between two calls counts as changed', async () => {
  const { read, server } = await hostile();
  await read('s3://box/big:@600000+64');
  server.buckets = { box: { big: numberedObject(1 << 20, '"other"') } };
  const { text, requests } = await read('s3://box/big:@600000+64');
  expect(text).toContain(
    's3://box/big was replaced since it was last read: lines and bytes may lie elsewhere',
  );
  expect(requests).toBe(2);
  expect((await read('s3://box/big:@600000+64')).text).not.toContain('replaced');
});

test('O17 a read of a million requests ends after 256', async () => {
  const { read } = await hostile((request, response) => {
    // One byte of each range, with a new line on each.
    const [, from = 0] = /(\d+)-/.exec(request.headers.range ?? '') ?? [];
    return part(response, `bytes ${from}-${from}/100000000`, 'x');
  });
  const { text, code, requests } = await read('s3://box/big:9999..');
  expect(code).toBe('LIMIT');
  expect(text).toContain('This takes more than 256 requests to the server of s3://box/big');
  expect(requests).toBe(256);
});

test('O18 a listing with an empty page, or foreign keys', async () => {
  const { read, server } = await hostile();
  const list = (inner: string) => (_request: IncomingMessage, response: ServerResponse) => {
    response.end(
      `<ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>${inner}</ListBucketResult>`,
    );
    return true;
  };
  server.instead = list('<Contents><Key>elsewhere/x</Key><Size>1</Size></Contents>');
  expect(await read('s3://box/dir/')).toMatchObject({
    text: '(no objects)\n[The server says that there are more, and gives none]',
    requests: 1,
  });
  server.instead = list(
    '<Contents><Key>dir/%0A%1B[31mx</Key><Size>-1</Size><LastModified>never</LastModified></Contents>',
  );
  const { text } = await read('s3://box/dir/');
  expect(text).toContain('\\n\\x1b[31mx');
  server.instead = (_request, response) => {
    response.end('<html>hello</html>');
    return true;
  };
  expect(await read('s3://box/dir/')).toMatchObject({ isError: true, code: 'CORRUPT' });
});

test('O19 credentials go only to the endpoint, into no answer', async () => {
  const { read } = await hostile((_request, response) => {
    response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>no &amp; never</Message></Error>');
    return true;
  });
  const { text } = await read('s3://box/big');
  expect(text).not.toMatch(/AKIA|secret/);
});

test('O20 an unexpected 412 is not taken for the object', async () => {
  const { read } = await hostile((_request, response) => {
    response.writeHead(412, { etag: '"x"' }).end('no bytes of the object');
    return true;
  });
  const answer = await read('s3://box/big');
  expect(answer).toMatchObject({
    code: 'CORRUPT',
    text: 's3://box/big is not read: the server refuses it for a condition that was not sent.',
    requests: 1,
  });
});

test.each([
  [
    403,
    'AccessDenied',
    'User: arn:aws:iam::123456789012:user/bob is not authorized to perform: s3:GetObject',
  ],
  [403, 'InvalidAccessKeyId', 'The key ASIAORIELTEST12345678 of 123456789012 does not exist'],
  [400, 'InvalidRequest', 'Account 1234-5678-9012, arn:aws:sts::123456789012:assumed-role/admin/bob'],
  [503, 'SlowDown', 'AKIAORIELTEST of arn:aws-cn:iam::123456789012:root is too fast'],
  [409, 'InvalidBucketState', 'owner 79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be'],
])('O21 accounts in server errors are not shown: %i %s', async (status, code, message) => {
  const { read } = await hostile((_request, response) => {
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    return true;
  });
  const { text } = await read('s3://box/big');
  expect(text).toContain(`${status}, ${code}`);
  expect(text).not.toMatch(/arn:|123456789012|1234-5678|bob|admin|ASIA|AKIA|79a59df/);
});

test('O22 an endless slow response ends with the call', async () => {
  const server = await objectServer({ box: { big: TEXT } });
  server.instead = (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-131071/1280000', 'content-length': 131_072 });
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
    return true;
  };
  const { text, isError } = await place('oriel', { timeoutMs: 3_000 }).call('read', { path: 's3://box/big' });
  expect(isError).toBe(true);
  expect(text).toMatch(/3 seconds/);
  expect(server.heard).toHaveLength(1);
});

test('O23 a bucket in another region is requested there, once', async () => {
  const { read, server } = await hostile();
  let told = 'eu-other-2';
  const regions: (string | undefined)[] = [];
  server.instead = ({ headers }, response) => {
    const region = /Credential=[^/]+\/\d+\/([^/]+)/.exec(headers.authorization ?? '')?.[1];
    regions.push(region);
    if (region === 'eu-other-2' && told === 'eu-other-2')
      return part(response, 'bytes 0-63/64', TEXT.slice(0, 64));
    response.writeHead(301, { 'x-amz-bucket-region': told }).end();
    return true;
  };
  expect((await read('s3://box/big')).text).toBe(TEXT.slice(0, 64));
  expect(regions).toEqual(['eu-test-1', 'eu-other-2']);
  // Known from now on; and one that sends us on and on is not followed.
  told = 'eu-third-3';
  expect(await read('s3://box/big')).toMatchObject({ code: 'REDIRECT', requests: 2 });
  expect(regions.slice(2)).toEqual(['eu-other-2', 'eu-third-3']);
  told = 'a region/../../that is none';
  expect(await read('s3://box/big')).toMatchObject({ isError: true, requests: 1 });
});

test('O24 documents and images replaced while read are not shown', async () => {
  const { read, server } = await hostile();
  // Not to be compressed: it takes several requests.
  const noise = Array.from({ length: 40_000 }, (_, i) => Math.imul(i + 1, 2_654_435_761).toString(36)).join(
    ' ',
  );
  const large = docx(paragraph(noise));
  expect(large.length).toBeGreaterThan(140_000);
  const other = Buffer.from(large);
  other[other.length - 30] = 0;
  const photo = makePng(300, 300, (x, y) => {
    const noise = Math.imul(x * 300 + y + 1, 2_654_435_761) >>> 8;
    return [noise & 255, (noise >> 8) & 255, (noise >> 16) & 255];
  });
  for (const [key, bytes] of [
    ['report.docx', large],
    ['photo.png', photo],
  ] as const) {
    let asked = 0;
    server.buckets = { box: { [key]: bytes } };
    server.instead = () => {
      asked += 1;
      if (asked === 2) server.buckets = { box: { [key]: other } };
      return false;
    };
    expect(await read(`s3://box/${key}`)).toMatchObject({ isError: true, code: 'BUSY' });
    expect(asked).toBe(2);
  }
});

test('O25 a document declaring an enormous size takes one request', async () => {
  const small = docx(paragraph('text'));
  const { read } = await hostile(({ headers }, response) => {
    const [, from = 0, to = 0] = /(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    const bytes = Buffer.alloc(Number(to) + 1 - Number(from));
    if (Number(from) === 0) small.copy(bytes);
    return part(response, `bytes ${from}-${to}/${2 ** 40}`, bytes);
  });
  const { code, requests, text } = await read('s3://box/report.docx');
  expect([code, requests]).toEqual(['LIMIT', 1]);
  expect(text.length).toBeLessThan(1000);
});

test('O26 a server ignoring later ranges causes no wrong bytes', async () => {
  const { read, server } = await hostile();
  let asked = 0;
  server.instead = (_request, response) => {
    asked += 1;
    if (asked < 2) return false;
    response.writeHead(200, { etag: '"x"', 'content-length': 70_000 }).end('y'.repeat(70_000));
    return true;
  };
  const { isError, text } = await read('s3://box/big:15000..15001');
  expect(isError).toBe(true);
  expect(text).not.toContain('yyy');
});
