/** Pages read through the registry of a project are used for that project only. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOriel, createSession } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { emptyHome } from '../../support/home.ts';
import { site } from '../../support/web.ts';

test('pages read for one project are not served to another', async () => {
  emptyHome();
  const session = createSession();
  onTestFinished(() => session.close());
  const registryOf = async (description: string): Promise<string> => {
    const about = { name: 'widget', description, readme: `# ${description}` };
    const body = JSON.stringify({ ...about, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': about } });
    return (await site({ '/widget': { type: 'application/json', body } })).url;
  };
  const registries = [await registryOf('of the first project'), await registryOf('of the second project')];
  const web = { allow: registries.map((url) => new URL(url).host) };
  const read = async (registry: string | undefined): Promise<string> => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.npmrc'), `registry=${registry}/\n`);
    const oriel = createOriel({ session, cwd, roots: [cwd], web, cache: false });
    const { content } = await oriel.tool('read').run({ path: 'https://www.npmjs.com/package/widget' });
    return JSON.stringify(content);
  };
  expect(await read(registries[0])).toContain('of the first project');
  // What a project says of a package is not what its site says.
  expect(await read(registries[0])).toContain(
    `Notes: read from ${registries[0]}, which the settings of this project name`,
  );
  expect(await read(registries[1])).toContain('of the second project');
});
