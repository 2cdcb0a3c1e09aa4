/** Refuses a library that is too old for its adapter, with a clear error. */

import { OrielError } from '../../errors.ts';
import { installedVersion, isOlder } from '../../state/package-version.ts';

/** The oldest versions with which the adapters are tested; for Mastra, the first one whose types accept a Standard Schema. */
export const OLDEST = {
  openai: '5.0.1',
  '@anthropic-ai/sdk': '0.70.0',
  '@langchain/core': '0.3.80',
  '@mastra/core': '1.11.0',
  '@openai/agents': '0.8.0',
  '@modelcontextprotocol/sdk': '1.23.0',
} as const;

const found = new Map<string, string | undefined>();

/**
 * Throws OrielError (`UNSUPPORTED`) if an older version of the package is installed. A package that is not found is
 * accepted, because it may be bundled. `from`: the URL of the code that would import it.
 */
export function needsPeer(name: keyof typeof OLDEST, adapter: string, from = import.meta.url): void {
  const key = `${from} ${name}`;
  if (!found.has(key)) found.set(key, installedVersion(name, from));
  const version = found.get(key);
  if (version === undefined || !isOlder(version, OLDEST[name])) return;
  throw new OrielError(
    'UNSUPPORTED',
    `oriel/${adapter} needs version ${OLDEST[name]} of the package ${name}, or a newer one, and ${version} is installed. Use npm install ${name}@latest.`,
  );
}
