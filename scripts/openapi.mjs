// npm run openapi: checks the OpenAPI document of `oriel serve` with its tools. Redocly lints the document of every dialect
// without findings; a client with types generated from it compiles and works.
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, install, root, run, withServer } from './tools.mjs';

const TOOLS = ['@redocly/cli@2.77.0', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@types/node@22'];
const TOKEN = 'a-token-for-this-run-0123456789';

const PROGRAM = `
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [baseUrl = '', path = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
const lines = await client.GET('/api/v0/read-file-lines', { params: { query: { path, offset: 2 } } });
assert.equal(lines.data?.content, '2\\tb');
const answer = await client.POST('/api/v0/tools/read', { body: { path: 'f:2..2' } });
assert.deepEqual(answer.data?.content, [{ type: 'text', text: '2|b\\n' }]);
const none = await client.GET('/api/v0/read-file', { params: { query: { path: path + '.none' } }, parseAs: 'text' });
assert.equal(none.response.status, 404);
const refused = await createClient<paths>({ baseUrl }).GET('/api/v0/tools');
assert.equal(refused.response.status, 401);
assert.equal(refused.error?.code, 'DENIED');
`;

const work = await realpath(await mkdtemp(join(tmpdir(), 'oriel-openapi-')));
const tool = (name, args) =>
  run(join(work, 'node_modules/.bin', name), args, {
    cwd: work,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  });
try {
  await writeFile(join(work, 'package.json'), '{ "private": true, "type": "module" }');
  await install(work, '--silent', '--ignore-scripts', ...TOOLS);
  const token = join(work, 'token');
  await writeFile(token, TOKEN, { mode: 0o600 });
  const served = { cwd: work, env: { ...process.env, ORIEL_TOKEN_FILE: token } };
  await writeFile(join(work, 'f'), 'a\nb\n');
  for (const dialect of ['oriel', 'pi', 'pi@0.74', 'pi@1.6', 'zed', 'zdx', 'zdx@0.10', 'coder']) {
    const serve = [cli, 'serve', work, '--listen', '127.0.0.1:0', '--dialect', dialect, '--allow-bash'];
    await withServer(process.execPath, serve, served, /(http:\/\/[\d.]+:\d+)/, async (url) => {
      const reply = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${TOKEN}` } });
      await writeFile(join(work, 'api.json'), await reply.text());
      const { stdout } = await tool('redocly', ['lint', 'api.json', '--format=json']);
      const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
      if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
      console.log(`ok   redocly has nothing to say of the dialect ${dialect}`);
      if (dialect !== 'oriel') return;
      await tool('openapi-typescript', ['api.json', '-o', 'api.d.ts']);
      await writeFile(join(work, 'client.ts'), PROGRAM);
      const flags = '--strict --target es2023 --module nodenext --types node --outDir out'.split(' ');
      await run(join(root, 'node_modules/.bin/tsc'), [...flags, 'client.ts'], { cwd: work });
      await run(process.execPath, ['out/client.js', url, join(work, 'f'), TOKEN], { cwd: work });
      console.log('ok   a generated client compiles and works');
    });
  }
} catch (error) {
  console.error(`FAIL ${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
