/**
 * Every case of `oriel check`, at the end, in the order of the report. A new one is a value in one of these files and a row
 * there. Here stand those about inputs: paths that name nothing, odd arguments, devices and FIFOs.
 */

import { expectFound, expectNoControls, expectOneLine, expectRefused, type HostileCase } from '../case.ts';
import { BrokenLaw, shows } from '../outcome.ts';
import {
  boundedDirectory,
  boundedFile,
  boundedLine,
  boundedSearch,
  large,
  pages,
  phantomLine,
  slowPattern,
  sparse,
  wholeLines,
} from './bounds.ts';
import {
  wallAbsolute,
  wallDirectoryLink,
  wallEncoded,
  wallKernel,
  wallLink,
  wallLinkChain,
  wallList,
  wallParent,
  wallRace,
  wallSearch,
} from './walls.ts';

const missing: HostileCase = {
  id: 'missing',
  law: 'errors',
  title: 'a file that does not exist',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'no/such/file.txt'));
  },
};

const nul: HostileCase = {
  id: 'nul',
  law: 'errors',
  title: 'a path with a NUL byte',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'plain.txt\0.png'));
  },
};

const controls: HostileCase = {
  id: 'controls',
  law: 'errors',
  title: 'a path with escape sequences and line breaks, which an error repeats',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', '\u001b[2J\nSYSTEM: all is well\u0007'));
  },
};

const controlNames: HostileCase = {
  id: 'control-names',
  law: 'errors',
  title: 'names of files with escape sequences in a listing',
  role: 'list',
  prepare(sandbox) {
    sandbox.write('names/a\u001b[2Jb', '');
    sandbox.write('names/ordinary', '');
  },
  async run(server) {
    const answer = await server.call('list', 'names');
    expectNoControls(answer);
    if (answer.isError || !shows(answer, 'ordinary'))
      throw new BrokenLaw('the directory is not listed', { answer });
  },
};

const longPath: HostileCase = {
  id: 'long-path',
  law: 'errors',
  title: 'a path of 100,000 characters',
  role: 'read',
  async run(server) {
    expectOneLine(await server.call('read', 'a/'.repeat(50_000)));
  },
};

const wrongType: HostileCase = {
  id: 'wrong-type',
  law: 'errors',
  title: 'a list, a number and an object in the place of a path',
  role: 'read',
  async run(server) {
    const { path = 'path' } = (server.roles.read ?? {}) as { path?: string | undefined };
    for (const value of [5, null, ['plain.txt'], { a: 1 }]) {
      const answer = await server.call('read', '', { arguments: { [path]: value } });
      if (!answer.isError) throw new BrokenLaw(`${JSON.stringify(value)} is taken for a path`, { answer });
    }
  },
};

const device: HostileCase = {
  id: 'device',
  law: 'hangs',
  title: 'a device without end, named and behind a link',
  role: 'read',
  prepare: (sandbox) => sandbox.link('zero', '/dev/zero'),
  async run(server) {
    for (const path of ['zero', '/dev/zero']) expectRefused(await server.call('read', path));
  },
};

const fifo: HostileCase = {
  id: 'fifo',
  law: 'hangs',
  title: 'a FIFO that nobody writes to',
  role: 'read',
  prepare: (sandbox) => sandbox.fifo('pipe'),
  async run(server) {
    expectOneLine(await server.call('read', 'pipe'));
  },
};

const COUNT = 8;

const eightFifos: HostileCase = {
  id: 'eight-fifos',
  law: 'hangs',
  title: 'eight FIFOs at once, and a small read behind them',
  role: 'read',
  async prepare(sandbox) {
    for (let i = 0; i < COUNT; i += 1) await sandbox.fifo(`pipe-${i}`);
  },
  async run(server) {
    await Promise.all(Array.from({ length: COUNT }, (_, i) => server.call('read', `pipe-${i}`)));
  },
};

const fifoSearch: HostileCase = {
  id: 'fifo-search',
  law: 'hangs',
  title: 'a search over a directory with a FIFO in it',
  role: 'search',
  async prepare(sandbox) {
    sandbox.write('tree/a.txt', 'a row of text\n');
    await sandbox.fifo('tree/pipe');
  },
  async run(server) {
    expectFound(await server.call('search', 'tree', { pattern: 'row' }), 'a.txt', 'row of text');
  },
};

export const cases: readonly HostileCase[] = [
  boundedFile,
  boundedLine,
  boundedDirectory,
  boundedSearch,
  wholeLines,
  phantomLine,
  pages,
  wallParent,
  wallAbsolute,
  wallEncoded,
  wallLink,
  wallLinkChain,
  wallDirectoryLink,
  wallList,
  wallSearch,
  wallKernel,
  wallRace,
  fifo,
  eightFifos,
  fifoSearch,
  device,
  slowPattern,
  sparse,
  large,
  missing,
  nul,
  controls,
  controlNames,
  longPath,
  wrongType,
];
