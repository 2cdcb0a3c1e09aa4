/** The instructions of a server: what it reads, and a word about roots that are wider than one may have meant. */

import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { instructionsFor, wideRoots } from '../../../src/faces/mcp/server.ts';
import { createOffer, type OfferOptions } from '../../../src/faces/offer.ts';
import { cli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { openOffer } from '../../support/app.ts';

function instructions(options: OfferOptions): string {
  const offer = openOffer({ cwd: temporaryFolder(), ...options });
  return instructionsFor(offer);
}

test('they name what the server reads, not what is off', () => {
  const plain = instructions({ web: false });
  expect(plain).toMatch(
    /^Call read for any file .*built-in readers show no documents, archives, databases\. /,
  );
  expect(plain).not.toMatch(/web|run commands|bash/);
  expect(instructions({ web: { allow: [] } })).toContain('databases, pages of the web. ');
  expect(instructions({ web: false, allowBash: true })).toContain(' Call bash to run commands.');
});

test('fewer tools are named, and only those offered', () => {
  const read = instructions({ tools: ['read'] });
  expect(read).not.toContain('grep');
  expect(() => createOffer({ tools: ['bash'] })).toThrow(
    '--allow-bash is missing. Use --tools read,grep,find,ls.',
  );
  expect(() => createOffer({ tools: ['cat'] })).toThrow('The tool cat is none of the dialect.');
});

test.each(['pi', 'pi@0.74', 'pi@1.6', 'zed', 'zdx', 'zdx@0.10', 'coder'] as const)(
  '%s promises only files',
  (dialect) => {
    expect(instructions({ dialect, web: false })).toMatch(/^Call read(_file)? for any file\. /);
  },
);

test('M17 serving the home directory or whole disk is reported', () => {
  const home = realpathSync(temporaryFolder());
  vi.stubEnv('HOME', home);
  const inside = join(home, 'project');
  mkdirSync(inside);
  const own = 'a home directory with its keys and settings';
  for (const [roots, said] of [
    [['/'], ['/, the whole disk']],
    [[home], [`${home}, ${own}`]],
    [[dirname(home), inside], [`${dirname(home)}, ${own}`]],
    [[inside], []],
  ] as const) {
    const offer = openOffer({ cwd: inside, roots });
    const sentences = said.map(
      (what) => `This server serves ${what}: to serve less, name a directory when starting it.`,
    );
    expect(wideRoots(offer)).toEqual(sentences);
    expect(instructionsFor(offer).endsWith(sentences.map((sentence) => ` ${sentence}`).join(''))).toBe(true);
  }
});

test.each(['mcp', 'serve'])('M17 oriel %s says it in its log', async (name) => {
  const home = realpathSync(temporaryFolder());
  const args = name === 'mcp' ? ['mcp'] : ['serve', '--listen', `unix:${join(home, 'socket')}`];
  const child = spawn(process.execPath, [cli, ...args], { cwd: home, env: { ...process.env, HOME: home } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await expect.poll(() => log).toContain(`This server serves ${home}, a home directory`);
});
