/** The environment of a command: the host's, all or by an allow-list, and settings that keep programs from prompting. */

/** Nobody sits at the terminal: no pager, no editor on a full screen, no password prompt. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Tokens of oriel's own, and where they are kept: no command needs them. */
const SECRET = /^ORIEL_TOKEN/;

/**
 * What a command gets of `host`: everything but our own tokens, or the variables that `allow` names (`LC_*` names all
 * that begin so), and the settings for unattended work in any case.
 */
export function commandEnvironment(
  host: NodeJS.ProcessEnv,
  allow?: readonly string[],
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (
      value !== undefined &&
      !SECRET.test(name) &&
      (!allow || allow.some((pattern) => matches(name, pattern)))
    )
      env[name] = value;
  }
  return { ...env, ...UNATTENDED };
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
