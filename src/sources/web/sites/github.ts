/** Repositories, files, issues and pull requests of GitHub, through its REST API. */

import type { Fetched, Site, SitePage, Visit } from '../page.ts';

/** Pages of 100 comments. */
const MOST_PAGES = 5;

export const github: Site = {
  name: 'github',
  hosts: /^(?:www\.)?github\.com$/,
  page(url) {
    const [owner, name, kind, first = '', ...others] = url.pathname.split('/').filter(Boolean);
    if (owner === undefined || name === undefined || !/^[\w.-]+$/.test(owner + name)) return undefined;
    const repository = `/repos/${owner}/${name.replace(/\.git$/, '')}`;
    switch (kind) {
      case undefined:
        return (visit) => repositoryPage(repository, visit);
      case 'blob':
        return others.length === 0 ? undefined : (visit) => filePage(repository, first, others, visit);
      case 'issues':
      case 'pull':
        return /^\d+$/.test(first) && others.length === 0
          ? (visit) => discussion(repository, first, kind, visit)
          : undefined;
      default:
        return undefined;
    }
  },
};

function api(path: string, accept: string, visit: Visit): Promise<Fetched | undefined> {
  const set = process.env['GITHUB_API_URL'] || undefined;
  const base = (set ?? 'https://api.github.com').replace(/\/+$/, '');
  const token = process.env['GITHUB_TOKEN'] || process.env['GH_TOKEN'];
  return visit.probe(base + path, {
    accept,
    trusted: set !== undefined,
    ...(token && { credentials: { authorization: `Bearer ${token}` } }),
  });
}

const JSON_TYPE = 'application/vnd.github+json';
const RAW_TYPE = 'application/vnd.github.raw+json';

async function objectAt<T>(path: string, visit: Visit): Promise<{ page: Fetched; value: T } | undefined> {
  const page = await api(path, JSON_TYPE, visit);
  if (!page) return undefined;
  try {
    return { page, value: JSON.parse(await page.text()) as T };
  } catch {
    return undefined;
  }
}

interface Repository {
  readonly full_name?: string;
  readonly description?: string | null;
  readonly default_branch?: string;
}

async function repositoryPage(repository: string, visit: Visit): Promise<SitePage | undefined> {
  const found = await objectAt<Repository>(repository, visit);
  if (!found) return undefined;
  const { full_name: name = repository, description, default_branch: branch } = found.value;
  const readme = await api(`${repository}/readme`, RAW_TYPE, visit);
  const parts = [`# ${name}`, description ?? '', branch === undefined ? '' : `Default branch: ${branch}`];
  if (readme) parts.push('---', await readme.text());
  return { page: found.page, text: parts.filter((part) => part !== '').join('\n\n') };
}

/** The branch is one segment: a name with a slash cannot be told from a directory. */
async function filePage(
  repository: string,
  branch: string,
  path: readonly string[],
  visit: Visit,
): Promise<SitePage | undefined> {
  const file = await api(
    `${repository}/contents/${path.join('/')}?ref=${encodeURIComponent(branch)}`,
    RAW_TYPE,
    visit,
  );
  if (!file || file.body.includes(0)) return undefined;
  return { page: file, text: await file.text() };
}

interface Remark {
  readonly body?: string | null;
  readonly user?: { readonly login?: string } | null;
  readonly created_at?: string;
}

interface Issue extends Remark {
  readonly title?: string;
  readonly state?: string;
  readonly labels?: readonly { readonly name?: string }[];
}

async function discussion(
  repository: string,
  number: string,
  kind: 'issues' | 'pull',
  visit: Visit,
): Promise<SitePage | undefined> {
  const found = await objectAt<Issue>(`${repository}/${kind === 'pull' ? 'pulls' : kind}/${number}`, visit);
  if (!found) return undefined;
  const { title = '', state = '', labels = [] } = found.value;
  const names = labels.map(({ name = '' }) => name).join(', ');
  const parts = [
    `# ${title} (#${number})`,
    `State: ${state}${names === '' ? '' : ` · Labels: ${names}`}`,
    remark(found.value),
  ];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const path = `${repository}/issues/${number}/comments?per_page=100&page=${page}`;
    const comments = await objectAt<readonly Remark[]>(path, visit);
    if (!comments) visit.notes.push('not all comments could be read');
    parts.push(...(comments?.value ?? []).map((one) => `---\n\n${remark(one)}`));
    if (!comments || comments.value.length < 100) break;
    if (page === MOST_PAGES) visit.notes.push(`only the first ${MOST_PAGES * 100} comments are shown`);
  }
  return { page: found.page, text: parts.join('\n\n') };
}

function remark({ user, created_at: date = '', body }: Remark): string {
  return `**${user?.login ?? 'ghost'}** ${date.slice(0, 10)}\n\n${(body ?? '').replaceAll('\r\n', '\n').trim()}`;
}
