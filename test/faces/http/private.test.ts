/** The rules for private files over HTTP, which only the operator sees. */

import { expect, onTestFinished, test } from 'vitest';
import { createClient, unwrap } from '../../../src/faces/client/client.ts';
import { createOffer } from '../../../src/faces/offer.ts';
import { serveOffer } from '../../support/app.ts';
import { workspace } from '../../support/workspace.ts';

test('the operator sees the rules, and which of them decides', async () => {
  const { W, write } = workspace();
  const env = write('.env', 'KEY=1\n');
  write('.cursorignore', '# keys\nkeys/\n');
  write('keys/a.ts', 'a\n');
  const offer = createOffer({ cwd: W, roots: [W], deny: ['.env'], cache: false });
  onTestFinished(() => offer.close());
  const { url } = await serveOffer(offer, { token: 'api', operatorToken: 'chief' });
  const operator = createClient({ url, token: 'chief' });
  const rules = [
    { rule: '.env', from: 'the option deny' },
    { rule: 'keys/', from: '.cursorignore', line: 2 },
  ];
  expect(unwrap(await operator.privateFiles())).toEqual({ rules });
  expect(unwrap(await operator.privateFiles({ path: `${W}/keys/a.ts` }))).toEqual({
    rules,
    decision: {
      private: true,
      message: expect.stringContaining('keys/a.ts is private by the rule keys/ of .cursorignore:2, which'),
    },
  });
  expect(unwrap(await operator.privateFiles({ path: `${W}/none` })).decision).toEqual({
    private: false,
    message: `${W}/none is not private.`,
  });
  const client = createClient({ url, token: 'api' });
  for (const path of [undefined, env])
    expect(await client.privateFiles({ path })).toMatchObject({ error: { status: 403, code: 'DENIED' } });
});
