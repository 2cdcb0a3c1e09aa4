/** Converts one page, feed, JSON or message of an MCP server, in a realm of its own (`process/job-realm.ts`). */

import { fragment } from './child/extract.ts';
import { escapeHtml } from './child/html-tree.ts';
import type { PageJob, PageMethod, PageReply, RecordKind } from './protocol.ts';

type Nothing = Extract<PageReply, { kind: 'nothing' }>;

interface Made extends Omit<Extract<PageReply, { kind: 'text' }>, 'kind'> {
  readonly text: string;
}

const NOTHING: Nothing = { kind: 'nothing' };

async function made(job: PageJob, content: string): Promise<Made | Nothing> {
  const { url } = job;
  const as = (how: PageMethod, text: string | undefined): Made | Nothing =>
    text === undefined ? NOTHING : { how, text };
  switch (job.kind) {
    case 'page': {
      const { extractPage: extract } = await import('./child/extract.ts');
      const { markdown, ...found } = extract(content, url, job);
      return { ...found, text: markdown };
    }
    case 'fragment':
      return as('fragment', (await import('./child/extract.ts')).fragment(content, url, job.without));
    case 'feed':
      return as('feed', (await import('./child/feeds.ts')).feedText(content, url));
    case 'entry':
      return as('feed', (await import('./child/feeds.ts')).entryText(content, url));
    case 'json':
      return (await import('./child/json-text.ts')).formatJsonText(content, url, job) ?? NOTHING;
    case 'mcp':
      return as('mcp', reducedMessage(content));
    case 'record': {
      const found = recordReaders[job.of](valueOf(content), job.ask, url);
      return found ? { how: 'record', ...found } : NOTHING;
    }
    case 'github': {
      // Imported on demand, because the schema library takes 40 ms to load.
      const { parseShape: taken } = await import('../github/shapes.ts');
      const found = taken(job.shape, content);
      return found.kind === 'value'
        ? { how: 'github', text: JSON.stringify(found.value) }
        : { kind: 'nothing', why: found.kind };
    }
  }
}

function valueOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

export async function answer(head: string, body: Buffer): Promise<{ reply: string; body: Uint8Array }> {
  const found = await made(JSON.parse(head) as PageJob, body.toString('utf8'));
  if ('kind' in found) return { reply: JSON.stringify(found satisfies PageReply), body: new Uint8Array(0) };
  const { text, ...facts } = found;
  return { reply: JSON.stringify({ kind: 'text', ...facts } satisfies PageReply), body: Buffer.from(text) };
}

// Formats JSON of the APIs of sites as Markdown: a reader for each kind of record, listed in the table at the end.

interface RecordText {
  readonly text: string;
  /** Facts that decide on further requests to the site. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

/** Undefined for JSON of another shape. `ask` are the parameters of the request, `url` is the page's, for its links. */
type RecordReader = (
  value: unknown,
  ask: Readonly<Record<string, string>>,
  url: string,
) => RecordText | undefined;

const gitHubRepository: RecordReader = (value, { repository = '' }) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const branch = lineAt(value, 'default_branch');
  return {
    text: joinParagraphs([
      `# ${lineAt(value, 'full_name') || repository}`,
      textAt(value, 'description'),
      branch === '' ? '' : `Default branch: ${branch}`,
    ]),
  };
};

/** The fact `compatibility` says that a compatibility table was left out. */
const mdnPage: RecordReader = (value, _, url) => {
  const sections = listAt(value, 'doc', 'body');
  const text = fragment(sections.map(sectionHtml).join(''), url).trim();
  if (text === '') return undefined;
  const title = lineAt(value, 'doc', 'title');
  const hasTable = sections.some((one) => textAt(one, 'type') === 'browser_compatibility');
  return {
    text: title === '' ? text : `# ${title}\n\n${text}`,
    facts: hasTable ? { compatibility: 'left out' } : undefined,
  };
};

function sectionHtml(section: unknown): string {
  const heading = lineAt(section, 'value', 'title');
  const level = at(section, 'value', 'isH3') === true ? 3 : 2;
  const links = listAt(section, 'value', 'specifications').map(
    (one) =>
      `<li><a href="${escapeHtml(textAt(one, 'bcdSpecificationURL'))}">${escapeHtml(textAt(one, 'title'))}</a></li>`,
  );
  const content =
    textAt(section, 'value', 'content') + (links.length > 0 ? `<ul>${links.join('')}</ul>` : '');
  // Sections without content or links are rendered by scripts.
  if (content === '') return '';
  return `${heading === '' ? '' : `<h${level}>${heading}</h${level}>`}${content}`;
}

// Formats npm packages: from a packument the facts of one version and the README, from a manifest only the facts.

/** An empty `ask.version` means the latest version. */
const npmPackage: RecordReader = (value, { name = '', version: asked = '' }) => {
  const version = asked || textAt(value, 'dist-tags', 'latest');
  const manifest = at(value, 'versions', version);
  if (manifest === undefined) return undefined;
  const tags = entriesAt(value, 'dist-tags').map(([tag, of]) => `${tag} ${textAt(of)}`);
  const facts = listRecordFacts([
    ['Published', recordDay(textAt(value, 'time', version))],
    ['Tags', tags.join(', ')],
    ['Versions', String(entriesAt(value, 'versions').length)],
  ]);
  const readme = (textAt(manifest, 'readme') || textAt(value, 'readme')).trim();
  return {
    text: joinParagraphs([...factsOfVersion(manifest, name), facts, readme === '' ? '' : '---', readme]),
  };
};

const npmManifest: RecordReader = (value, { name = '' }) =>
  textAt(value, 'version') === '' ? undefined : { text: joinParagraphs(factsOfVersion(value, name)) };

function factsOfVersion(manifest: unknown, name: string): string[] {
  const list = (field: string): string =>
    entriesAt(manifest, field)
      .map(([key, range]) => `${key} ${textAt(range)}`)
      .join(', ');
  const deprecated = lineAt(manifest, 'deprecated');
  return [
    `# ${name} ${lineAt(manifest, 'version')}`,
    lineAt(manifest, 'description'),
    deprecated === '' ? '' : `**Deprecated:** ${deprecated}`,
    listRecordFacts([
      ['License', lineAt(manifest, 'license') || lineAt(manifest, 'license', 'type')],
      ['Repository', lineAt(manifest, 'repository', 'url') || lineAt(manifest, 'repository')],
      ['Homepage', lineAt(manifest, 'homepage')],
      [
        'Keywords',
        listAt(manifest, 'keywords')
          .map((word) => lineAt(word))
          .join(', '),
      ],
      ['Engines', list('engines')],
      ['Dependencies', list('dependencies')],
      ['Peer dependencies', list('peerDependencies')],
    ]),
  ];
}

const pypiProject: RecordReader = (value) => {
  const name = lineAt(value, 'info', 'name');
  if (name === '') return undefined;
  const info = (field: string): string => lineAt(value, 'info', field);
  const [first] = listAt(value, 'urls');
  const readme = textAt(value, 'info', 'description').trim();
  const facts = listRecordFacts([
    ['License', info('license_expression') || info('license').slice(0, 200)],
    ['Requires Python', info('requires_python')],
    ['Published', recordDay(textAt(first, 'upload_time_iso_8601'))],
    ['Author', info('author') || info('author_email')],
    ...entriesAt(value, 'info', 'project_urls').map(([label, url]) => [label, lineAt(url)] as const),
    [
      'Requires',
      listAt(value, 'info', 'requires_dist')
        .map((one) => lineAt(one))
        .join(', '),
    ],
    ['Versions', String(entriesAt(value, 'releases').length || '')],
  ]);
  const title = `# ${name} ${info('version')}`;
  return { text: joinParagraphs([title, info('summary'), facts, readme === '' ? '' : '---', readme]) };
};

// Formats a question of Stack Exchange and its answers: the accepted answer first, then by votes.

/** The fact `number` is the question's id. */
const stackExchangeQuestion: RecordReader = (value, _, url) => {
  const [question] = listAt(value, 'items');
  const number = textAt(question, 'question_id');
  const text = number === '' ? '' : fragment(questionHtml(question), url).trim();
  return text === '' ? undefined : { text, facts: { number } };
};

/** The fact `more` says that there are more answers. */
const stackExchangeAnswers: RecordReader = (value, _, url) => ({
  text: fragment(inOrder(listAt(value, 'items')).map(answerHtml).join(''), url).trim(),
  facts: at(value, 'has_more') === true ? { more: 'yes' } : undefined,
});

function inOrder(answers: readonly unknown[]): unknown[] {
  const rank = (one: unknown): number => (at(one, 'is_accepted') === true ? 1 : 0);
  const score = (one: unknown): number => Number(textAt(one, 'score')) || 0;
  return answers.toSorted((a, b) => rank(b) - rank(a) || score(b) - score(a));
}

/** The API gives titles, names and bodies as HTML. */
function questionHtml(question: unknown): string {
  const tags = listAt(question, 'tags').map((tag) => textAt(tag));
  const closed = textAt(question, 'closed_reason');
  return (
    `<h1>${textAt(question, 'title')}</h1><p>${byline('Asked', question)}` +
    `${tags.length > 0 ? ` · ${escapeHtml(tags.join(', '))}` : ''}${closed === '' ? '' : ` · closed: ${closed}`}</p>` +
    textAt(question, 'body')
  );
}

function answerHtml(answer: unknown): string {
  const accepted = at(answer, 'is_accepted') === true ? ' (accepted)' : '';
  return `<h2>Answer${accepted}</h2><p>${byline('Answered', answer)}</p>${textAt(answer, 'body')}`;
}

function byline(verb: string, post: unknown): string {
  const name = textAt(post, 'owner', 'display_name') || 'somebody';
  const seconds = Number(textAt(post, 'creation_date'));
  const day = seconds > 0 && seconds < 1e11 ? ` on ${recordDay(new Date(seconds * 1000).toISOString())}` : '';
  return `${verb} by ${name}${day} · score ${textAt(post, 'score') || 0}`;
}

// Reads values of JSON of any shape without throwing: a missing value or one of another type is empty.

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

/** A string or a number as text; empty for everything else. */
function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

function lineAt(value: unknown, ...path: readonly string[]): string {
  return textAt(value, ...path)
    .replace(/\s+/g, ' ')
    .trim();
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

function entriesAt(value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] {
  const found = at(value, ...path);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}

/** Facts such as "License: MIT" as a Markdown list, without those that have no value. */
function listRecordFacts(facts: readonly (readonly [string, string])[]): string {
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

const joinParagraphs = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** The day of a date: "2024-01-02". */
const recordDay = (date: string): string => /^\d{4}-\d\d-\d\d/.exec(date)?.[0] ?? '';

const recordReaders: Readonly<Record<RecordKind, RecordReader>> = {
  'github-repository': gitHubRepository,
  'mdn-page': mdnPage,
  'npm-package': npmPackage,
  'npm-manifest': npmManifest,
  'pypi-project': pypiProject,
  'stackexchange-question': stackExchangeQuestion,
  'stackexchange-answers': stackExchangeAnswers,
};

// Reduces a large message of an MCP server to the used fields, here because the message may have any shape.

/** One more than are shown of a list, to know whether there are more. */
const MAX_REDUCED_ITEMS = 1_001;

/** The most characters of a name, a description or an error. */
const MAX_REDUCED_CHARACTERS = 4_096;

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the text is not a message. */
function reducedMessage(text: string): string | undefined {
  const message = fieldsOf(valueOf(text));
  if (!message) return undefined;
  const { jsonrpc, id, method, error, result } = message;
  const kept = {
    jsonrpc,
    id: scalar(id),
    // Parameters are not needed: requests of the server are refused and notifications ignored.
    method: words(method),
    error: failure(error),
    result: method === undefined && error === undefined ? outcome(fieldsOf(result)) : undefined,
  };
  return JSON.stringify(kept);
}

function outcome(result: Fields | undefined): object {
  const { nextCursor, resources, resourceTemplates, contents, protocolVersion, capabilities, serverInfo } =
    result ?? {};
  return {
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
    resources: listed(resources, 'uri'),
    resourceTemplates: listed(resourceTemplates, 'uriTemplate'),
    contents: parts(contents),
    protocolVersion: words(protocolVersion),
    capabilities:
      protocolVersion === undefined
        ? undefined
        : fieldsOf(fieldsOf(capabilities)?.['resources'])
          ? { resources: {} }
          : {},
    serverInfo:
      protocolVersion === undefined
        ? undefined
        : { name: words(fieldsOf(serverInfo)?.['name']) ?? '', version: '' },
  };
}

/** The items of a list; those whose name is too long for a call are left out. */
function listed(value: unknown, key: string): object[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, MAX_REDUCED_ITEMS)
    .map((one) => fieldsOf(one) ?? {})
    .filter((one) => typeof one[key] === 'string' && one[key].length <= MAX_REDUCED_CHARACTERS)
    .map((one) => ({
      [key]: one[key],
      name: words(one['name']) ?? '',
      title: words(one['title']),
      description: words(one['description']),
    }));
}

function parts(value: unknown): object[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_REDUCED_ITEMS).map((one) => {
    const { uri, mimeType, text, blob } = fieldsOf(one) ?? {};
    return { uri: words(uri), mimeType: words(mimeType), text, blob };
  });
}

function failure(error: unknown): object | undefined {
  const { code, message } = fieldsOf(error) ?? {};
  return error === undefined ? undefined : { code: scalar(code) ?? 0, message: words(message) ?? '' };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function words(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_REDUCED_CHARACTERS).toWellFormed() : undefined;
}

function scalar(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : words(value);
}
