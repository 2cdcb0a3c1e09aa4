/** The table of built-in URL schemes. It is imported with the first URL, because most reads are of paths. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Settings } from '../../types/settings.ts';
import { agentScheme } from './agent.ts';
import { artifactScheme } from './artifact.ts';
import { hostScheme } from './host.ts';
import { issueScheme } from './issue.ts';
import { localScheme } from './local.ts';
import { mcpScheme } from './mcp.ts';
import { memoryScheme } from './memory.ts';
import { orielScheme } from './oriel.ts';
import { prScheme } from './pr.ts';
import { ruleScheme } from './rule.ts';
import { s3Scheme } from './s3.ts';
import type { Scheme } from './scheme.ts';
import { skillScheme } from './skill.ts';
import { wsScheme } from './ws.ts';

export const schemes: readonly Scheme[] = [
  agentScheme,
  artifactScheme,
  issueScheme,
  localScheme,
  mcpScheme,
  memoryScheme,
  orielScheme,
  prScheme,
  ruleScheme,
  s3Scheme,
  skillScheme,
  wsScheme,
];

/**
 * The scheme of a target such as `artifact://3`, and the text after it; undefined for paths. Schemes of the host take
 * precedence. A scheme that is off reports this when it is opened. An unknown scheme throws `UNSUPPORTED` with the
 * available ones.
 */
export function schemeOf(target: string, settings: Settings): { scheme: Scheme; rest: string } | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(target);
  const name = match?.[1]?.toLowerCase();
  if (name === undefined || name === 'file') return undefined;
  const { schemes: ofHost } = settings;
  const given = Object.hasOwn(ofHost, name) ? ofHost[name] : undefined;
  const scheme = given ? hostScheme(name, given) : schemes.find((known) => known.name === name);
  if (scheme && given !== false) return { scheme, rest: match?.[2] ?? '' };
  const ours = schemes.filter((one) => one.isOn?.(settings) ?? true).map((one) => one.name);
  const known = [...new Set([...ours, ...Object.keys(ofHost)])].filter((one) => ofHost[one] !== false).sort();
  throw new OrielError(
    'UNSUPPORTED',
    `${quote(`${name}://`)} is not read here. Use a path like src/app.ts, or one of ` +
      `${known.map((one) => `${one}://`).join(', ')}.`,
    { next: '.' },
  );
}

/** Whether this scheme is known here. */
export function hasScheme(name: string, settings: Settings): boolean {
  const given = Object.hasOwn(settings.schemes, name) ? settings.schemes[name] : undefined;
  return given !== undefined ? given !== false : schemes.some((one) => one.name === name);
}
