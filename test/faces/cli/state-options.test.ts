/** Files with secrets of a shared state. */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFromOptions } from '../../../src/faces/cli/server-options.ts';
import { temporaryFolder } from '../../support/commands.ts';

const URL = 'redis://127.0.0.1:6379';

function secret(text: string, mode: number): string {
  const path = join(temporaryFolder(), 'secret');
  writeFileSync(path, `${text}\n`);
  chmodSync(path, mode);
  return path;
}

test('only a file that others can read causes a warning', () => {
  const said: string[] = [];
  const [open, shut] = [secret('k'.repeat(32), 0o644), secret(URL, 0o600)];
  expect(stateFromOptions({ 'state-file': shut, 'state-key-file': open }, (text) => said.push(text))).toEqual(
    {
      state: { url: URL, key: 'k'.repeat(32) },
    },
  );
  expect(said).toEqual([`Other users may read the key in ${open}. Use chmod 600 on it.`]);
});

test.each(['redis://:hunter2@host', 'postgres://u@host/db?password=hunter2', 'postgres://u:hunter2@host/db'])(
  'a password in an argument is refused: %s',
  (url) => {
    const asked = (): unknown =>
      stateFromOptions({ state: url, 'state-key-file': secret('k'.repeat(32), 0o600) }, () => undefined);
    expect(asked).toThrow('use --state-file FILE');
    expect(asked).not.toThrow('hunter2');
  },
);
