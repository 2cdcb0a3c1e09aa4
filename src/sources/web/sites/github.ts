/** GitHub: repositories and files through its REST API. Issues and pull requests are in `sources/github`. */

import { isGitHub } from '../../github/github-hosts.ts';
import { NAME } from '../../github/local-repository.ts';
import { fileStep } from '../steps/file.ts';
import type { Fetched, Site, SitePage, Visit } from '../page-step.ts';
import { type Answered, recordOf, type Wanted } from './site-api.ts';
import { withoutTrailingSlashes } from '../../../text/slashes.ts';

export const github: Site = {
  name: 'github',
  hosts: { test: isGitHub },
  page(url) {
    const [owner, name, kind, first = '', ...others] = segmentsOf(url);
    const plain = name?.replace(/\.git$/, '') ?? '';
    if (owner === undefined || !NAME.test(owner) || !NAME.test(plain)) return undefined;
    const repository = `/repos/${owner}/${plain}`;
    switch (kind) {
      case undefined:
        return (visit) => repositoryPage(repository, visit);
      case 'blob':
        return others.length === 0 ? undefined : (visit) => filePage(repository, first, others, visit);
      default:
        return undefined;
    }
  },
};

/** The decoded path segments; as they are if they are not validly encoded. */
function segmentsOf({ pathname }: URL): string[] {
  const segments = pathname.split('/').filter(Boolean);
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return segments;
  }
}

function api(path: string, accept: string, visit: Visit): Promise<Fetched | undefined> {
  const set = process.env['GITHUB_API_URL'] || undefined;
  const base = withoutTrailingSlashes(set ?? 'https://api.github.com');
  const token = process.env['GITHUB_TOKEN'] || process.env['GH_TOKEN'];
  return visit.probe(base + path, {
    accept,
    trusted: set !== undefined,
    ...(token && { credentials: { authorization: `Bearer ${token}` } }),
  });
}

const JSON_TYPE = 'application/vnd.github+json';
const RAW_TYPE = 'application/vnd.github.raw+json';

/** Undefined if there is no reply, or one of another shape. */
async function recordAt(path: string, wanted: Wanted, visit: Visit): Promise<Answered | undefined> {
  const page = await api(path, JSON_TYPE, visit);
  return page && recordOf(page, wanted, visit);
}

async function repositoryPage(repository: string, visit: Visit): Promise<SitePage | undefined> {
  const found = await recordAt(repository, { of: 'github-repository', ask: { repository } }, visit);
  if (!found) return undefined;
  const readme = await api(`${repository}/readme`, RAW_TYPE, visit);
  const text = readme ? `${found.text}\n\n---\n\n${await readme.text()}` : found.text;
  return { page: found.page, text, also: readme };
}

/** A file. The branch is one path segment, because a branch name with a slash cannot be told from a directory. */
async function filePage(
  repository: string,
  branch: string,
  path: readonly string[],
  visit: Visit,
): Promise<SitePage | undefined> {
  const file = await api(
    `${repository}/contents/${path.map(encodeURIComponent).join('/')}?ref=${encodeURIComponent(branch)}`,
    RAW_TYPE,
    visit,
  );
  if (!file) return undefined;
  // The media type is that of the API, so the file is detected by its name and bytes.
  const rendering = await fileStep({ ...file, url: visit.url, type: '' }, visit);
  return rendering ? { page: file, rendering } : { page: file, text: await file.text() };
}
