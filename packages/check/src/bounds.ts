/** The cases about the bounds of answers: bytes, lines, pages, memory, time. */

import { expectFound, expectWholeRows, type HostileCase, row, rows, shownRows } from '../case.ts';
import { BrokenLaw, shows, SkippedCase } from '../outcome.ts';

const BOUNDED_FILE_LINES = 100_000;

export const boundedFile: HostileCase = {
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

export const boundedLine: HostileCase = {
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

export const boundedDirectory: HostileCase = {
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

export const boundedSearch: HostileCase = {
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

export const large: HostileCase = {
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

export const pages: HostileCase = {
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

export const phantomLine: HostileCase = {
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

export const wholeLines: HostileCase = {
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

export const sparse: HostileCase = {
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

export const slowPattern: HostileCase = {
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
