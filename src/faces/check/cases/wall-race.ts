/** A case of `oriel check`: 1,000 reads while a directory is exchanged with a link to the one outside. */

import { spawn } from 'node:child_process';
import type { Case } from '../case.ts';
import { LEAK } from '../laws.ts';
import { Broken, Skipped } from '../outcome.ts';
import { shows } from '../server-answer.ts';

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

export const wallRace: Case = {
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
    if (!shows(still, 'inside')) throw new Skipped('it does not read a file in a directory');
    const racer = spawn(process.execPath, ['-e', SCRIPT], {
      cwd: sandbox.heldRoot,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => void racer.once('exit', resolve).once('error', resolve));
    const leaks: Broken[] = [];
    let left = READS;
    const reader = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        // Errors may contain the name, because a file inside has the same one.
        await server.call('read', `d/${sandbox.secretName}`, { mayName: true }).catch((error: unknown) => {
          if (!(error instanceof Broken) || error.message !== LEAK) throw error;
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
      throw new Broken(message, { evidence: leaks[0]?.evidence });
    }
  },
};
