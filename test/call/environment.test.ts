import { expect, test } from 'vitest';
import { commandEnvironment } from '../../src/call/run.ts';

const unattended = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

const host = {
  PATH: '/bin',
  LC_ALL: 'C',
  LC_TIME: 'C',
  LANG: 'C',
  TERM: 'xterm',
  SECRET: 'x',
  GONE: undefined,
};

test('passes all variables of the host except terminal ones', () =>
  expect(commandEnvironment(host)).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    LC_TIME: 'C',
    LANG: 'C',
    SECRET: 'x',
    ...unattended,
  }));

test('passes those of an allow-list of names or prefixes', () =>
  expect(commandEnvironment(host, ['PATH', 'LC_*', 'TERM', 'ABSENT'])).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    LC_TIME: 'C',
    ...unattended,
  }));

test('passes none', () => expect(commandEnvironment(host, [])).toEqual(unattended));

test('passes no token of oriel, even one that is listed', () => {
  const tokens = { ORIEL_TOKEN: 'a', ORIEL_TOKEN_FILE: 'b', ORIEL_TOKEN_DEV: 'c' };
  expect(commandEnvironment(tokens)).toEqual(unattended);
  expect(commandEnvironment(tokens, ['ORIEL_TOKEN', 'ORIEL_*'])).toEqual(unattended);
});
