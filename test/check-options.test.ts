import { describe, expect, test } from 'vitest';
import { createOriel } from '../src/index.ts';

const refused = (options: object): unknown => {
  try {
    return createOriel(options as never);
  } catch (error) {
    return error;
  }
};

describe('options that cannot be meant', () => {
  test.each([
    [{ root: ['/tmp'] }, /^There is no option root\. \S.*roots/],
    [{ roots: '/tmp' }, 'The option roots is a list of strings, not /tmp.'],
    [{ roots: [1] }, 'The option roots is a list of strings, not a list of other things.'],
    [{ limits: [] }, 'The option limits is an object, not a list.'],
    [{ limits: { lines: '100' } }, 'The limit lines is a number.'],
    [{ limitsPerModel: { small: { bytes: 1 } } }, 'The limit bytes is at least 64.'],
    [{ limitsPerModel: { small: null } }, 'The option limitsPerModel.small is an object, not null.'],
    [
      { limitsPerModel: { small: undefined } },
      'The option limitsPerModel.small is an object, not undefined.',
    ],
    [{ workspaces: { dev: 5 } }, 'The option workspaces.dev is an object, not a number.'],
    [{ display: 'x' }, 'The option display is one of numbers, hashline, hashline@18, plain, not x.'],
    [{ read: { mapByte: 3 } }, /^There is no option read\.mapByte\. .*mapBytes/],
    [{ read: null }, 'The option read is an object, not null.'],
    [{ onError: 3 }, 'The option onError is a function, not a number.'],
    [{ run: { background: 'stop' } }, 'The option run.background is one of end, keep, not stop.'],
    [{ schemes: { file: () => '' } }, 'file cannot be a scheme. Use a name such as ticket.'],
    [{ schemes: { 'a b': () => '' } }, 'a b cannot be a scheme. Use a name such as ticket.'],
    [{ web: 'on' }, 'The option web is an object, true or false, not on.'],
    [{ web: { endpoints: { wiki: 'http://x' } } }, /^There is no option web\.endpoints\.wiki\. .*wikipedia/],
    [{ web: { endpoints: { mdn: 7 } } }, 'The option web.endpoints.mdn is a string, not a number.'],
    [
      { web: { endpoints: { mdn: 'ftp://x' } } },
      'The option web.endpoints.mdn is a URL such as http://localhost:8080, not ftp://x.',
    ],
    [{ web: { allows: [] } }, /^There is no option web\.allows\. .*allow/],
    [{ web: { allow: ['http://x'] } }, /^http:\/\/x is not HOST or CIDR/],
    [
      { web: { allow: ['10.0.0.0/8', '10.0.0.0/99'] } },
      '10.0.0.0/99 is not HOST or CIDR, with or without :PORT. Use localhost:8080 or 10.0.0.0/8.',
    ],
    [{ s3: { allow: ['[::]/129'] } }, /^\[::\]\/129 is not HOST or CIDR/],
    [{ mcpServers: { a: { url: 'http://x', addresses: { allow: ['x:0'] } } } }, /^x:0 is not HOST or CIDR/],
    [{ session: {} }, 'The option session is the session of an instance (oriel.session), not an object.'],
    [{ schemes: { ticket: true } }, 'The option schemes.ticket is a function, or false.'],
    [{ __proto__: null, constructor: 1 }, /^There is no option constructor\./],
  ])('%j', (options, message) => {
    expect(refused(options)).toMatchObject({ code: 'BAD_INPUT' });
    const said = (refused(options) as Error).message;
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });
});

test('what is not set may be undefined', async () => {
  const oriel = createOriel({ cwd: undefined, roots: undefined, read: { mapBytes: undefined } } as never);
  await oriel.close();
});
