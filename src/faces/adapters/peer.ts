/** Refuses a library that is older than its adapter needs, before that fails in an unclear way. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OrielError } from '../../errors.ts';

/** The oldest versions with which the adapters are tested; of Mastra the first one that takes Standard Schema. */
export const OLDEST = {
  openai: '5.0.1',
  '@anthropic-ai/sdk': '0.70.0',
  '@langchain/core': '0.3.80',
  '@mastra/core': '1.0.0',
  '@openai/agents': '0.8.0',
  '@modelcontextprotocol/sdk': '1.23.0',
} as const;

const found = new Map<string, string | undefined>();

/**
 * Throws OrielError (`UNSUPPORTED`) where an older version of the package lies beside us. One that is not found is not
 * judged: it may be bundled. `from`: the URL of the code that would import it.
 */
export function needsPeer(name: keyof typeof OLDEST, adapter: string, from = import.meta.url): void {
  const key = `${from} ${name}`;
  if (!found.has(key)) found.set(key, versionOf(name, from));
  const version = found.get(key);
  if (version === undefined || !isOlder(version, OLDEST[name])) return;
  throw new OrielError(
    'UNSUPPORTED',
    `oriel/${adapter} needs version ${OLDEST[name]} of the package ${name}, or a newer one, and ${version} is installed. Use npm install ${name}@latest.`,
  );
}

/** As Node finds the package, whatever it exports. */
function versionOf(name: string, from: string): string | undefined {
  for (const directory of createRequire(from).resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(directory, name, 'package.json'), 'utf8'));
      const { version } = manifest as { readonly version?: unknown };
      return typeof version === 'string' ? version : undefined;
    } catch {
      // It is not here: Node looks in the next directory too.
    }
  }
  return undefined;
}

/** By major, minor and patch; what stands behind a hyphen does not count. */
function isOlder(version: string, than: string): boolean {
  const [given, least] = [version, than].map((text) => text.split(/[-+]/)[0]?.split('.').map(Number) ?? []);
  for (const [i, part] of (least ?? []).entries()) {
    const own = given?.[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
