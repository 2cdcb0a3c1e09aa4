/** The host whose pages and repositories the configured API serves: github.com or a GitHub Enterprise Server. */

const PUBLIC = 'github.com';

/** The host of the pages. An API URL without a known server is taken for a proxy or cache of github.com. */
export function pageHost(): string {
  const set = process.env['GITHUB_API_URL'] || '';
  if (!URL.canParse(set)) return PUBLIC;
  const server = process.env['GITHUB_SERVER_URL'] ?? '';
  if (URL.canParse(server)) return new URL(server).hostname;
  const { hostname, pathname } = new URL(set);
  if (hostname.startsWith('api.')) return hostname.slice('api.'.length);
  // Source: "Getting started with the REST API" of the documentation of GitHub Enterprise Server.
  return /^\/api\/v3\/*$/.test(pathname) ? hostname : PUBLIC;
}

export function isGitHub(hostname: string): boolean {
  return hostname.replace(/^www\./, '') === pageHost();
}
