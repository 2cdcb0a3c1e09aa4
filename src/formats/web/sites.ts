/** The sites whose pages are read through their APIs: one after the other, and the table at the end. */

import { decodeUri } from '../../text/visible.ts';
import { gitHubServer, JSON_TYPE } from '../github/api.ts';
import { isGitHub, REPOSITORY_PART } from '../github/repository.ts';
import { convertedText, convertFor } from './convert.ts';
import {
  type ApiSite,
  type FetchedPage,
  type PageRendering,
  type PageVisit,
  type SitePage,
  textRendering,
} from './page-step.ts';
import {
  findApiBase,
  markdownOf,
  noteRegistry,
  npmRegistry,
  pythonIndex,
  recordAt,
  recordOf,
} from './site-api.ts';
import { fileStep } from './steps.ts';

// arXiv: abstracts from its API, with the URL of the full text.

const arxiv: ApiSite = {
  name: 'arxiv',
  hosts: /^(?:(?:www|export)\.)?arxiv\.org$/,
  page(url) {
    const id = /^\/abs\/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?)\/?$/.exec(
      url.pathname,
    )?.[1];
    if (id === undefined) return undefined;
    return async (visit) => {
      const base = findApiBase('arxiv', 'https://export.arxiv.org', visit);
      const page = await visit.probe(`${base.url}/api/query?id_list=${id}`, {
        accept: 'application/atom+xml',
        trusted: base.trusted,
      });
      if (!page || !page.type.endsWith('xml')) return undefined;
      const found = await convertFor(visit, { kind: 'entry', url: page.url }, await page.text());
      // For an unknown number the API returns an entry with this title.
      const text = found?.reply.kind === 'text' ? convertedText(found) : '# Error\n';
      if (text.startsWith('# Error\n')) return undefined;
      return { page, text: `${text.trimEnd()}\n\nFull text: https://arxiv.org/pdf/${id}` };
    };
  },
};

// GitHub: repositories and files through its REST API. Issues and pull requests are in `formats/github/`.

export const github: ApiSite = {
  name: 'github',
  hosts: { test: isGitHub },
  page(url) {
    const [owner, name, kind, first = '', ...others] = segmentsOf(url);
    const plain = name?.replace(/\.git$/, '') ?? '';
    if (owner === undefined || !REPOSITORY_PART.test(owner) || !REPOSITORY_PART.test(plain)) return undefined;
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

function api(path: string, accept: string, visit: PageVisit): Promise<FetchedPage | undefined> {
  const { base, trusted, credentials } = gitHubServer();
  return visit.probe(base + path, { accept, trusted, credentials });
}

const RAW_TYPE = 'application/vnd.github.raw+json';

async function repositoryPage(repository: string, visit: PageVisit): Promise<SitePage | undefined> {
  const page = await api(repository, JSON_TYPE, visit);
  const found = page && (await recordOf(page, { of: 'github-repository', ask: { repository } }, visit));
  if (!found) return undefined;
  const readme = await api(`${repository}/readme`, RAW_TYPE, visit);
  const text = readme ? `${found.text}\n\n---\n\n${await readme.text()}` : found.text;
  return { page, text, also: readme };
}

/** A file. The branch is one path segment, because a branch name with a slash cannot be told from a directory. */
async function filePage(
  repository: string,
  branch: string,
  path: readonly string[],
  visit: PageVisit,
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

const mdn: ApiSite = {
  name: 'mdn',
  hosts: /^developer\.mozilla\.org$/,
  page(url) {
    const path = /^\/[a-z]{2}(?:-[A-Z]{2})?\/docs\/.+?(?=\/?$)/.exec(url.pathname)?.[0];
    if (path === undefined || /\.\w{2,4}$/.test(path)) return undefined;
    return async (visit) => {
      const base = findApiBase('mdn', 'https://developer.mozilla.org', visit);
      const found = await recordAt(base, `${path}/index.json`, { of: 'mdn-page', ask: {} }, visit);
      if (found?.facts['compatibility']) {
        visit.notes.push('the table of browser compatibility is left out');
      }
      return found;
    };
  },
};

// npm: packages from the registry that the user's npm is configured for, with facts and README.

export const npm: ApiSite = {
  name: 'npm',
  hosts: /^(?:www\.)?npmjs\.com$/,
  page(url) {
    const [, name, version = ''] =
      /^\/package\/((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/v\/([\w.+-]+))?\/?$/.exec(decodeUri(url.pathname)) ?? [];
    // A name or version that consists of dots would be a path segment that leads elsewhere.
    if (name === undefined || /(?:^|\/)\.+$/.test(name) || /^\.+$/.test(version)) return undefined;
    return async (visit) => {
      const registry = await npmRegistry(name, visit);
      if (!registry) return undefined;
      const path = `/${name.replace('/', '%2F')}`;
      const all = await recordAt(registry, path, { of: 'npm-package', ask: { name, version } }, visit);
      if (all) return noteRegistry(all, registry, visit);
      // The packument with all versions may exceed the limit for a text; then the manifest of one version is read.
      const one = await recordAt(
        registry,
        `${path}/${version || 'latest'}`,
        { of: 'npm-manifest', ask: { name } },
        visit,
      );
      if (one) visit.notes.push('its README was not read');
      return one && noteRegistry(one, registry, visit);
    };
  },
};

// PyPI: Python packages from the index that the user's pip is configured for, with facts and description.

const pypi: ApiSite = {
  name: 'pypi',
  hosts: /^pypi\.org$/,
  page(url) {
    const [, name, version] =
      /^\/project\/([a-z\d](?:[\w.-]*[a-z\d])?)(?:\/([\w.!+-]+))?\/?$/i.exec(url.pathname) ?? [];
    if (name === undefined) return undefined;
    // Source: "Names and normalization" of the Python packaging specifications.
    const normal = name.toLowerCase().replace(/[-_.]+/g, '-');
    const path = `/pypi/${normal}${version === undefined ? '' : `/${version}`}/json`;
    return async (visit) => {
      const index = await pythonIndex(visit);
      const project = { of: 'pypi-project', ask: {} } as const;
      // The server of the page itself may also have the JSON API.
      const own = { url: url.origin, trusted: false };
      const found = index && (await recordAt(index, path, project, visit));
      return index && found ? noteRegistry(found, index, visit) : recordAt(own, path, project, visit);
    };
  },
};

const rfc: ApiSite = {
  name: 'rfc',
  hosts: /^(?:(?:www\.)?rfc-editor\.org|datatracker\.ietf\.org)$/,
  page(url) {
    const number = /^\/(?:rfc|doc\/html|doc|info)\/rfc(\d{1,5})(?:\.html|\.txt)?\/?$/.exec(url.pathname)?.[1];
    if (number === undefined) return undefined;
    return async (visit) => {
      const base = findApiBase('rfc', 'https://www.rfc-editor.org', visit);
      const page = await visit.probe(`${base.url}/rfc/rfc${number}.txt`, {
        accept: 'text/plain',
        trusted: base.trusted,
      });
      // Form feeds (page breaks) are removed.
      return page?.type === 'text/plain'
        ? { page, text: (await page.text()).replaceAll('\f', '') }
        : undefined;
    };
  },
};

const stackexchange: ApiSite = {
  name: 'stackexchange',
  hosts:
    /^(?:(?:[a-z-]+\.)?stackoverflow\.com|(?:[a-z.-]+\.)?stackexchange\.com|(?:meta\.)?(?:superuser\.com|serverfault\.com|askubuntu\.com)|mathoverflow\.net|stackapps\.com)$/,
  page(url) {
    const [, kind, id] = /^\/(questions|q|a)\/(\d{1,12})(?:\/.*)?$/.exec(url.pathname) ?? [];
    if (id === undefined || url.hostname === 'api.stackexchange.com') return undefined;
    const site = `site=${url.hostname}&filter=withbody`;
    return async (visit) => {
      const base = findApiBase('stackexchange', 'https://api.stackexchange.com', visit);
      const ask = (of: 'question' | 'answers', path: string, more = '') =>
        recordAt(base, `/2.3/${path}?${more}${site}`, { of: `stackexchange-${of}`, ask: {} }, visit);
      const found = await ask('question', kind === 'a' ? `answers/${id}/questions` : `questions/${id}`);
      const number = found?.facts['number'];
      if (!found || number === undefined) return undefined;
      const path = `questions/${encodeURIComponent(number)}/answers`;
      const answers = await ask('answers', path, 'order=desc&sort=votes&pagesize=100&');
      if (!answers) visit.notes.push('the answers could not be read');
      if (answers?.facts['more']) visit.notes.push('only the first 100 answers are shown');
      return { page: found.page, text: [found.text, answers?.text].filter(Boolean).join('\n\n') };
    };
  },
};

// Wikipedia: articles from the REST API of MediaWiki.

/** Classes of elements that are not part of the article: reference marks, navigation boxes, editorial notes. */
const WITHOUT =
  'reference mw-editsection navbox navbox-styles sistersitebox side-box metadata noprint mw-empty-elt authority-control'.split(
    ' ',
  );

const wikipedia: ApiSite = {
  name: 'wikipedia',
  hosts: /^[a-z-]+(?:\.m)?\.wikipedia\.org$/,
  page(url) {
    const title = /^\/wiki\/([^/].*)$/.exec(url.pathname)?.[1];
    // A query selects another revision or view of the page.
    if (title === undefined || url.search !== '') return undefined;
    const lang = url.hostname.split('.')[0] ?? '';
    if (lang === 'www') return undefined;
    return async (visit) => {
      const base = findApiBase('wikipedia', 'https://{lang}.wikipedia.org', visit);
      const page = await visit.probe(
        `${base.url.replace('{lang}', lang)}/w/rest.php/v1/page/${title.replaceAll('/', '%2F')}/html`,
        { accept: 'text/html', trusted: base.trusted },
      );
      if (page?.type !== 'text/html') return undefined;
      const text = await markdownOf(await page.text(), visit.url, visit, WITHOUT);
      const name = decodeUri(title).replaceAll('_', ' ');
      return text === undefined ? undefined : { page, text: `# ${name}\n\n${text}` };
    };
  },
};

const sites: readonly ApiSite[] = [github, npm, pypi, wikipedia, stackexchange, arxiv, mdn, rfc];

export function isOfSite(url: string): boolean {
  const { hostname } = new URL(url);
  return sites.some((site) => site.hosts.test(hostname) && site.page(new URL(url)) !== undefined);
}

/** Reads a page through the API of its site; undefined if that fails, then it is read as HTML. */
export async function siteStep(
  visit: PageVisit,
): Promise<{ readonly page: FetchedPage; readonly rendering: PageRendering } | undefined> {
  const url = new URL(visit.url);
  for (const site of sites) {
    const read = site.hosts.test(url.hostname) ? site.page(url) : undefined;
    if (!read) continue;
    const found = await read(visit);
    if (!found) {
      visit.isSettled = false;
      visit.notes.push(`${site.name}: its API has not answered, this is the page itself`);
      return undefined;
    }
    if ('rendering' in found) return found;
    const content = found.text.endsWith('\n') ? found.text : `${found.text}\n`;
    return {
      page: found.page,
      rendering: textRendering(site.name, content, found.page.cut ? found.page : (found.also ?? found.page)),
    };
  }
  return undefined;
}
