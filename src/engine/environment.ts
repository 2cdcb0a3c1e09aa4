/** The environment of a command: that of the host (all or an allow-list) plus settings that prevent interactive prompts. */

/** Settings for non-interactive use: no pager, no full-screen editor, no password prompt. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Variables with oriel's own tokens or their locations; no command needs them. */
const SECRET = /^ORIEL_TOKEN/;

/**
 * The variables for a command: those of `host` except our own tokens, or only those that `allow` names (`LC_*` matches a
 * prefix), and always the settings for non-interactive use.
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
