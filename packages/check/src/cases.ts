/** Every case of `oriel check`, at the end in the order of the report: a new one is a value here and a row there. */

import { spawn } from 'node:child_process';
import {
  expectFound,
  expectNoControls,
  expectOneLine,
  expectRefused,
  expectWholeRows,
  type HostileCase,
  LEAK,
  row,
  rows,
  shownRows,
} from './case.ts';
import { BrokenLaw, shows, SkippedCase } from './outcome.ts';

// The cases about the bounds of answers: bytes, lines, pages, memory, time.

const BOUNDED_FILE_LINES = 100_000;

const boundedFile: HostileCase = {
  id: 'bounded-file',
  law: 'bounded',
  title: 'a file of 4 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(BOUNDED_FILE_LINES)),
  async run(server) {
    const answer = await server.call('read', 'rows.txt');
    if (answer.isError) throw new BrokenLaw('the file is refused', { answer });
    if (shownRows(answer).length === 0) throw new BrokenLaw('no line of it is shown', { answer });
  },
};

const boundedLine: HostileCase = {
  id: 'bounded-line',
  law: 'bounded',
  title: 'one line of 8 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('line.json', 'x'.repeat(8 << 20)),
  async run(server) {
    const answer = await server.call('read', 'line.json');
    if (!answer.isError && !answer.text.includes('xxxx'))
      throw new BrokenLaw('nothing of it is shown', { answer });
  },
};

const boundedDirectory: HostileCase = {
  id: 'bounded-directory',
  law: 'bounded',
  title: 'a directory of 3,000 files with long names',
  role: 'list',
  prepare(sandbox) {
    for (let i = 0; i < 3_000; i += 1) sandbox.write(`many/a-file-with-a-name-that-is-long-${i}`, '');
  },
  async run(server) {
    const answer = await server.call('list', 'many');
    if (answer.isError || !shows(answer, 'a-file-with-a-name'))
      throw new BrokenLaw('no file of it is listed', { answer });
  },
};

const boundedSearch: HostileCase = {
  id: 'bounded-search',
  law: 'bounded',
  title: 'a search that hits 20,000 lines, and one of 8 MB',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('hits/many.txt', rows(20_000));
    sandbox.write('hits/line.json', `row${'x'.repeat(8 << 20)}`);
  },
  async run(server) {
    // Neither name contains the pattern, which the answer may repeat.
    expectFound(await server.call('search', 'hits', { pattern: 'row' }), 'many.txt', 'line.json', 'row-0');
  },
};

const PIECES = 100;

const large: HostileCase = {
  id: 'large',
  law: 'memory',
  title: 'a text of 400 MB',
  role: 'read',
  prepare: (sandbox) => sandbox.write('large.log', rows(100_000), PIECES),
  async run(server) {
    await server.call('read', 'large.log');
  },
};

/** A file of 600 KB. */
const PAGED_LINES = 15_000;
const MAX_READ_PAGES = 200;

const pages: HostileCase = {
  id: 'pages',
  law: 'continuation',
  title: 'each page names the next one, and together they show every line once',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(PAGED_LINES)),
  async run(server) {
    let [path, more, shown] = ['rows.txt', {}, 0];
    for (let page = 1; page <= MAX_READ_PAGES; page += 1) {
      const answer = await server.call('read', path, { ...more, anySize: true });
      if (answer.isError)
        throw new BrokenLaw(`page ${page} is an error: ${answer.text.slice(0, 200)}`, { answer });
      for (const line of shownRows(answer)) {
        if (line !== shown + 1)
          throw new BrokenLaw(`page ${page} shows line ${line} after line ${shown}`, { answer });
        shown = line;
      }
      if (shown === PAGED_LINES) return;
      const next = server.next('read', 'rows.txt', answer);
      if (!next)
        throw new BrokenLaw(`after line ${shown} of ${PAGED_LINES} no next call is named`, {
          answer,
          at: answer.text.length - 200,
        });
      ({ path, more } = next);
    }
    throw new BrokenLaw(`${MAX_READ_PAGES} pages end at line ${shown} of ${PAGED_LINES}`);
  },
};

const phantomLine: HostileCase = {
  id: 'phantom-line',
  law: 'lines',
  title: 'a file of three lines is said to have three, not four',
  role: 'read',
  prepare: (sandbox) => sandbox.write('three.txt', rows(3)),
  async run(server) {
    const answer = await server.call('read', 'three.txt');
    if (shownRows(answer).join(' ') !== '1 2 3')
      throw new BrokenLaw('not all three lines are shown', { answer });
    const rest = answer.text.replaceAll(row(1), '').replaceAll(row(2), '').replaceAll(row(3), '');
    if (/\b4\b(?=.{0,20}\blines\b)|\blines\b.{0,20}\b4\b/i.test(rest))
      throw new BrokenLaw('a fourth line is counted', { answer });
  },
};

const wholeLines: HostileCase = {
  id: 'whole-lines',
  law: 'lines',
  title: 'lines of a file that does not fit are shown whole',
  role: 'read',
  prepare: (sandbox) => sandbox.write('rows.txt', rows(20_000)),
  async run(server) {
    const answer = await server.call('read', 'rows.txt', { anySize: true });
    if (shownRows(answer).length === 0) throw new BrokenLaw('no line of it is shown', { answer });
    expectWholeRows(answer);
  },
};

const sparse: HostileCase = {
  id: 'sparse',
  law: 'memory',
  title: 'a file of 1 TB that takes no room',
  role: 'read',
  prepare(sandbox) {
    try {
      sandbox.sparse('sparse', 2 ** 40);
    } catch (cause) {
      throw new SkippedCase('no file of 1 TB can be made here', { cause });
    }
  },
  async run(server) {
    const answer = await server.call('read', 'sparse');
    const at = answer.text.indexOf('\0');
    if (at !== -1) throw new BrokenLaw('NUL bytes are shown as text', { answer, at });
  },
};

const PATTERN = '^(a+)+$';

const slowPattern: HostileCase = {
  id: 'slow-pattern',
  law: 'hangs',
  title: 'a pattern that takes a backtracking engine for ever',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('quick/match.txt', 'aaaa');
    sandbox.write('slow/a.txt', `${'a'.repeat(60)}!\n`);
  },
  async run(server) {
    const quick = await server.call('search', 'quick', { pattern: PATTERN });
    // A refusal of the pattern is safe too.
    if (!quick.isError && !shows(quick, 'match.txt', 'aaaa'))
      throw new SkippedCase('its search takes no regular expressions');
    await server.call('search', 'slow', { pattern: PATTERN });
  },
};

// The cases about the root: nothing outside it is read, listed or searched.

const wallAbsolute: HostileCase = {
  id: 'wall-absolute',
  law: 'walls',
  title: 'absolute paths outside the root',
  role: 'read',
  async run(server, { outside, secretName }) {
    for (const path of [`${outside}/${secretName}`, `file://${outside}/${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};

const wallParent: HostileCase = {
  id: 'wall-parent',
  law: 'walls',
  title: 'a path that leads outside with ..',
  role: 'read',
  async run(server, { secretName }) {
    for (const path of [`../outside/${secretName}`, `./a/../../outside/${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};

const wallEncoded: HostileCase = {
  id: 'wall-encoded',
  law: 'walls',
  title: 'a path outside the root behind escapes of URLs',
  role: 'read',
  async run(server, { secretName }) {
    for (const path of [`%2e%2e/outside/${secretName}`, `..%2foutside%2f${secretName}`])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};

const wallLink: HostileCase = {
  id: 'wall-link',
  law: 'walls',
  title: 'a link to a file outside',
  role: 'read',
  prepare: (sandbox) => sandbox.link('link', `${sandbox.outside}/${sandbox.secretName}`),
  async run(server) {
    expectRefused(await server.call('read', 'link'));
  },
};

const wallDirectoryLink: HostileCase = {
  id: 'wall-directory-link',
  law: 'walls',
  title: 'a file behind a link to a directory outside',
  role: 'read',
  prepare: (sandbox) => sandbox.link('directory', sandbox.outside),
  async run(server, { secretName }) {
    expectRefused(await server.call('read', `directory/${secretName}`, { mayName: true }));
  },
};

const wallLinkChain: HostileCase = {
  id: 'wall-link-chain',
  law: 'walls',
  title: 'a chain of links whose last one leads outside',
  role: 'read',
  prepare(sandbox) {
    sandbox.link('a', 'b');
    sandbox.link('b', 'c');
    sandbox.link('c', `../outside/${sandbox.secretName}`);
  },
  async run(server) {
    expectRefused(await server.call('read', 'a'));
  },
};

const wallKernel: HostileCase = {
  id: 'wall-kernel',
  law: 'walls',
  title: 'files of /proc: the environment of the server, and the whole disk behind its root',
  role: 'read',
  async run(server, { outside, secretName }) {
    for (const path of [
      '/proc/self/environ',
      `/proc/self/root${outside}/${secretName}`,
      '/proc/self/cwd/../outside',
    ])
      expectRefused(await server.call('read', path, { mayName: true }));
  },
};

const wallList: HostileCase = {
  id: 'wall-list',
  law: 'walls',
  title: 'listing outside: a link to a directory, and ..',
  role: 'list',
  prepare: (sandbox) => sandbox.link('directory', sandbox.outside),
  async run(server, { outside }) {
    for (const path of ['directory', '../outside', outside]) expectRefused(await server.call('list', path));
  },
};

const wallSearch: HostileCase = {
  id: 'wall-search',
  law: 'walls',
  title: 'a search over links that lead outside, and into themselves',
  role: 'search',
  prepare(sandbox) {
    sandbox.write('tree/a.txt', 'no secret-word at all\n');
    sandbox.link('tree/directory', sandbox.outside);
    sandbox.link('tree/file', `${sandbox.outside}/${sandbox.secretName}`);
    sandbox.link('tree/self', '.');
  },
  async run(server) {
    // Not the secret itself, because an answer may contain the pattern.
    const answer = await server.call('search', 'tree', { pattern: 'secret-' });
    expectFound(answer, 'a.txt', 'secret-word');
  },
};

const READS = 1_000;
const AT_ONCE = 8;

/** Exchanges a directory with a link to the one outside, until its input ends. */
const SCRIPT = `
  const { renameSync: move } = require('node:fs');
  process.stdin.on('end', () => process.exit()).resume();
  const turn = () => {
    for (let i = 0; i < 200; i += 1) { move('real', 'd'); move('d', 'real'); move('away', 'd'); move('d', 'away'); }
    setImmediate(turn);
  };
  turn();
`;

const wallRace: HostileCase = {
  id: 'wall-race',
  law: 'walls',
  title: `${READS.toLocaleString('en')} reads while a directory is exchanged with a link to the one outside`,
  role: 'read',
  changes: true,
  prepare(sandbox) {
    sandbox.write(`real/${sandbox.secretName}`, 'inside\n');
    sandbox.link('away', sandbox.outside);
  },
  async run(server, sandbox) {
    const still = await server.call('read', `real/${sandbox.secretName}`, { mayName: true });
    if (!shows(still, 'inside')) throw new SkippedCase('it does not read a file in a directory');
    const racer = spawn(process.execPath, ['-e', SCRIPT], {
      cwd: sandbox.root,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => void racer.once('exit', resolve).once('error', resolve));
    const leaks: BrokenLaw[] = [];
    let left = READS;
    const reader = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        // Errors may contain the name, because a file inside has the same one.
        await server.call('read', `d/${sandbox.secretName}`, { mayName: true }).catch((error: unknown) => {
          if (!(error instanceof BrokenLaw) || error.message !== LEAK) throw error;
          leaks.push(error);
        });
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, reader));
    } finally {
      racer.kill('SIGKILL');
      await ended;
    }
    if (leaks.length > 0) {
      const message = `${leaks.length} of ${READS} answers hold bytes from outside the root`;
      throw new BrokenLaw(message, { evidence: leaks[0]?.evidence });
    }
  },
};

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
