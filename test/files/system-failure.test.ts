/** What a failure of the operating system is called, and what may be tried again. */

import { describe, expect, test } from 'vitest';
import {
  errno,
  isDiskFull,
  isFault,
  isShortage,
  isStartShortage,
  mayPass,
  systemError,
  writeFailure,
} from '../../src/files/system-failure.ts';
import { OrielError } from '../../src/errors.ts';

const system = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code });

test('the name of a failure', () => {
  expect([system('ENOENT'), new Error('no'), null, undefined, 'text'].map(errno)).toEqual([
    'ENOENT',
    '',
    '',
    '',
    '',
  ]);
});

describe('reading', () => {
  test.each([
    ['ENOENT', 'NOT_FOUND', 'does not exist'],
    ['ENOTDIR', 'NOT_DIRECTORY', 'goes through something that is not a directory'],
    ['EACCES', 'DENIED', 'may not be read: permission denied'],
    ['EPERM', 'DENIED', 'may not be read: operation not permitted'],
    ['ELOOP', 'LOOP', 'leads into a loop of links'],
    ['ENAMETOOLONG', 'NAME_TOO_LONG', 'has a name that is too long'],
    ['EINVAL', 'BAD_PATH', 'is not a valid path'],
    ['EMFILE', 'BUSY', 'could not be opened: too many files are open'],
    ['ENFILE', 'BUSY', 'could not be opened: too many files are open'],
    ['ENXIO', 'NOT_REGULAR', 'is not a regular file'],
    ['EISDIR', 'IS_DIRECTORY', 'is a directory'],
    ['EIO', 'CORRUPT', 'could not be read: input/output error'],
    ['ESTALE', 'INTERNAL', 'could not be read (ESTALE)'],
    ['', 'INTERNAL', 'could not be read (unknown)'],
  ])('%s: %s', (code, expected, sentence) => {
    const cause = system(code);
    const error = systemError(cause, 'a\nb');
    expect([error.code, error.message, error.cause]).toEqual([expected, `a\\nb ${sentence}.`, cause]);
  });

  test('an error that is explained already stays', () => {
    const known = new OrielError('BUSY', 'Later.');
    expect(systemError(known, 'a')).toBe(known);
  });
});

describe('writing', () => {
  test.each([
    ['ENOSPC', 'LIMIT', 'the disk is full'],
    ['EDQUOT', 'LIMIT', 'the disk quota is used up'],
    ['EFBIG', 'LIMIT', 'the file would exceed the maximum file size'],
    ['EIO', 'LIMIT', 'the disk failed with an input/output error'],
    ['EROFS', 'LIMIT', 'the file system is read-only'],
    ['EACCES', 'LIMIT', 'permission is denied there'],
    ['EPERM', 'LIMIT', 'permission is denied there'],
    ['ENOENT', 'LIMIT', 'its directory is gone'],
    ['EMFILE', 'BUSY', 'too many files are open'],
    ['ENFILE', 'BUSY', 'too many files are open'],
    ['ESTALE', 'LIMIT', 'ESTALE'],
    ['', 'LIMIT', 'for an unknown reason'],
  ])('%s: %s', (code, expected, why) => {
    const cause = system(code);
    const error = writeFailure(cause, 'It could not be kept');
    expect([error.code, error.message, error.cause]).toEqual([
      expected,
      `It could not be kept: ${why}.`,
      cause,
    ]);
  });
});

test('which failures may pass, which are faults of the machine', () => {
  const errors = [
    system('EMFILE'),
    system('ENFILE'),
    system('EIO'),
    system('ENOENT'),
    new OrielError('BUSY', 'Later.'),
    new OrielError('CORRUPT', 'It is damaged.', { cause: system('EIO') }),
    new OrielError('NOT_FOUND', 'It is gone.', { cause: system('ENOENT') }),
    new OrielError('NOT_FOUND', 'It is gone.'),
  ];
  expect(errors.map(isShortage)).toEqual([true, true, false, false, false, false, false, false]);
  expect(errors.map(isFault)).toEqual([true, true, true, false, true, true, false, false]);
});

test('which failures may pass, and what was short', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'EIO', 'ENOENT'];
  const those = (is: (error: unknown) => boolean): string[] => codes.filter((code) => is(system(code)));
  expect(those(isDiskFull)).toEqual(['ENOSPC', 'EDQUOT']);
  expect(those(isStartShortage)).toEqual(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);
  expect(those(mayPass)).toEqual(['EMFILE', 'ENFILE']);
  // What caused an explained error counts.
  const caused = (code: string): OrielError => new OrielError('LIMIT', 'No.', { cause: system(code) });
  expect([isDiskFull(caused('ENOSPC')), isDiskFull(caused('EIO'))]).toEqual([true, false]);
  expect([
    mayPass(caused('EMFILE')),
    mayPass(caused('EIO')),
    mayPass(new OrielError('BUSY', 'Later.')),
  ]).toEqual([true, false, true]);
});
