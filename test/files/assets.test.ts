import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { asset, useBuild } from '../../src/files/package-files.ts';
import { useTestBuild } from '../support/built.ts';
import { temporaryFolder } from '../support/commands.ts';

test('a data file of the package is read whole', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dist/grammars'), { recursive: true });
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
  writeFileSync(join(folder, 'dist/grammars/go.wasm.br'), bytes);
  useBuild(() => pathToFileURL(`${folder}/`));
  onTestFinished(useTestBuild);
  expect(Buffer.from(await asset('grammars/go.wasm.br')).equals(bytes)).toBe(true);
  await expect(asset('grammars/none')).rejects.toThrow('The package is incomplete');
});
