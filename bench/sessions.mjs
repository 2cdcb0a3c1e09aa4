// The price of whole sessions: the host alone, oriel behind its Read and Bash, and oriel over MCP. A scripted reader asks for the
// file, and then for the lines that it needs and was not shown, a request for each range. The answers are those of the hook, asked
// as Claude Code asks it, and of the MCP server.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './lib/mcp.mjs';
import { tokenCounter } from './lib/peers.mjs';
import { cli } from './lib/process.mjs';
import { sessionCases } from './lib/session-cases.mjs';

/** Each session has so many requests that read nothing, and each request so many tokens beside what was read. */
const OTHER_REQUESTS = 20;
const OTHER_TOKENS = 20_000;

/** What a token costs, in new input tokens, where it is carried and where it is new. */
const CARRIED = 0.1;
const NEW = 1.25;

/** Tokens of a call without its answer. */
const CALL_TOKENS = 100;

/** Above these Claude Code's own Read answers with an error, or with the beginning. */
const MAX_READ_BYTES = 256 << 10;
const MAX_READ_TOKENS = 25_000;

const hook = fileURLToPath(new URL('../dist/faces/hook/hook-child.js', import.meta.url));
const UNCHANGED =
  'File unchanged since last read. The content from the earlier Read is still current: refer to that.';

export async function rows() {
  const root = mkdtempSync(join(tmpdir(), 'oriel-sessions-'));
  const server = await start([process.execPath, [cli, 'mcp', root]], root);
  try {
    const tokensOf = await tokenCounter();
    const { result } = await server.ask('tools/list');
    const declared = result.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const list = tokensOf(JSON.stringify(declared));
    const table = [];
    const sums = { alone: 0, behind: 0, never: 0, called: 0 };
    for (const session of sessionCases()) {
      const requests = {};
      for (const way of ['alone', 'behind', 'called']) {
        const place = placed(root, session, `${table.length}-${way}`);
        requests[way] = await played(session, WAYS[way](place, session, { server, tokensOf }), tokensOf);
      }
      const price = {
        alone: priceOf(requests.alone),
        behind: priceOf(requests.behind),
        never: priceOf(requests.alone, list),
        called: priceOf(requests.called, list),
      };
      for (const way of Object.keys(sums)) if (!session.isWorst) sums[way] += price[way];
      table.push(row(session.name, price, requests));
    }
    return [...table, row('all, without the worst', sums)];
  } finally {
    server.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function row(session, price, requests) {
  const beside = (way) => (price[way] / price.alone).toFixed(2);
  return {
    session,
    'host alone': `${Math.round(price.alone / 1000)}k`,
    'behind its tools': beside('behind'),
    'MCP, never called': beside('never'),
    'MCP, called': beside('called'),
    'requests: alone, behind, MCP':
      requests &&
      Object.values(requests)
        .map((all) => all.flat().length)
        .join(', '),
  };
}

/** `steps`: for each step the new tokens of each of its requests. `list`: what each request carries beside them. */
function priceOf(steps, list = 0) {
  let carried = list;
  let price = list * NEW;
  const request = (fresh) => {
    price += CARRIED * (OTHER_TOKENS + carried) + NEW * fresh;
    carried += fresh;
  };
  let others = 0;
  for (const [i, fresh] of steps.entries()) {
    for (; others < Math.floor((OTHER_REQUESTS * i) / steps.length); others += 1) request(0);
    fresh.forEach(request);
  }
  for (; others < OTHER_REQUESTS; others += 1) request(0);
  return price;
}

/** The project of a session, and the home of its agent. */
function placed(root, { files = {}, steps }, name) {
  const project = join(root, name);
  for (const { read } of steps) {
    if (read === undefined) continue;
    const path = join(project, read);
    mkdirSync(dirname(path), { recursive: true });
    if (files[read] === undefined) cpSync(read, path);
    else writeFileSync(path, files[read]);
  }
  mkdirSync(project, { recursive: true });
  return { root, project, name };
}

async function played({ steps }, way, tokensOf) {
  const requests = [];
  for (const step of steps) {
    const path = step.read ?? step.edit;
    if (step.edit !== undefined) {
      way.edit(path);
      requests.push([]);
      continue;
    }
    const answers = step.run === undefined ? await way.read(step) : [await way.run(step)];
    requests.push(answers.map((text) => CALL_TOKENS + tokensOf(text)));
  }
  return requests;
}

/** As Claude Code shows a text: with the number of each line. */
const shown = (text, from = 1) =>
  text
    .split('\n')
    .map((line, i) => `${from + i}\t${line}`)
    .join('\n');

const textOf = (place, path) => readFileSync(join(place.project, path), 'utf8');

const rangeOf = (text, [from, to]) =>
  shown(
    text
      .split('\n')
      .slice(from - 1, to)
      .join('\n'),
    from,
  );

/** The ranges of `need` with lines that `seen` does not have; blank ones do not count. */
function missing(text, need, seen) {
  const lines = text.split('\n');
  if (need === 'whole') return lines.every((line, i) => line === '' || seen.has(i + 1)) ? [] : 'whole';
  return need.filter(([from, to]) => {
    for (let no = from; no <= to; no += 1) if (!seen.has(no) && lines[no - 1]?.trim() !== '') return true;
    return false;
  });
}

const seenIn = (map) => new Set([...map.matchAll(/^(?:\d+\t)?(\d+)\|/gm)].map(([, no]) => Number(no)));

/** What the host's own tools answer. */
function alone(place, _session, { tokensOf }) {
  const read = new Map();
  return {
    place,
    edit: (path) => writeFileSync(join(place.project, path), `${textOf(place, path)}\n`),
    run: ({ output }) => output,
    /** Undefined if the tool refuses. */
    own(path) {
      const text = textOf(place, path);
      if (text.length > MAX_READ_BYTES) return undefined;
      if (read.get(path) === text) return { answer: UNCHANGED };
      const lines = text.split('\n');
      const share = Math.min(1, MAX_READ_TOKENS / tokensOf(text));
      const content = lines.slice(0, Math.floor(lines.length * share)).join('\n');
      if (share === 1) read.set(path, text);
      return { answer: shown(content), content };
    },
    async read({ read: path, need, grep }) {
      const text = textOf(place, path);
      const own = this.own(path);
      if (own?.content !== undefined && own.content.length < text.length) {
        const end = own.content.split('\n').length;
        return [own.answer, ...need.filter(([, to]) => to > end).map((range) => rangeOf(text, range))];
      }
      if (own !== undefined) return [own.answer];
      const found = text.split('\n').flatMap((line, i) => (line.includes(grep) ? [`${i + 1}:${line}`] : []));
      const error = `File content (${text.length} bytes) exceeds the maximum allowed size. Use offset and limit, or Grep.`;
      return [error, found.join('\n'), ...need.map((range) => rangeOf(text, range))];
    },
  };
}

/** The same, with the hook of oriel behind them. */
function behind(place, session, tools) {
  const host = alone(place, session, tools);
  const transcript = join(place.root, `${place.name}.jsonl`);
  writeFileSync(transcript, '');
  const say = (role, text) =>
    writeFileSync(
      transcript,
      `${JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] } })}\n`,
      { flag: 'a' },
    );
  say('user', session.user);
  const home = join(place.root, 'home');
  const run = join(place.root, 'run');
  for (const path of [home, run]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const env = { HOME: home, XDG_RUNTIME_DIR: run, TMPDIR: run, PATH: '' };
  const asked = (event) => {
    const input = JSON.stringify({
      session_id: place.name,
      cwd: place.project,
      transcript_path: transcript,
      ...event,
    });
    const { stdout } = spawnSync(process.execPath, [hook, 'claude'], { env, encoding: 'utf8', input });
    return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput;
  };
  const after = (tool_name, tool_input, tool_response) =>
    asked({ hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response })?.updatedToolOutput;
  const opened = (path) => {
    const file_path = join(place.project, path);
    const own = host.own(path);
    if (own === undefined) {
      const kept = asked({ hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path } });
      return kept && shown(readFileSync(kept.updatedInput.file_path, 'utf8'));
    }
    const { answer: before, content } = own;
    const file = { filePath: file_path, content, numLines: 1, startLine: 1, totalLines: 1 };
    const type = content === undefined ? 'file_unchanged' : 'text';
    const answer = after('Read', { file_path }, { type, file })?.file.content;
    return answer === undefined ? before : shown(answer);
  };
  return {
    ...host,
    run({ run: command, output }) {
      const answer = after('Bash', { command }, { stdout: output, stderr: '', interrupted: false });
      return answer === undefined ? output : answer.stdout;
    },
    async read(step) {
      const { read: path, need, says, isWholeAgain = false } = step;
      say('assistant', says);
      const answer = opened(path);
      if (answer === undefined) return host.read(step);
      const isMap = answer.includes('[Map: ');
      const rest = isMap && !isWholeAgain ? missing(textOf(place, path), need, seenIn(answer)) : [];
      if (rest === 'whole') return [answer, opened(path)];
      return [answer, ...rest.map((range) => rangeOf(textOf(place, path), range))];
    },
  };
}

/** With the tool `read` of oriel in place of the host's. */
function called(place, session, tools) {
  const host = alone(place, session, tools);
  const { server } = tools;
  const ask = async (path) => {
    const { result } = await server.ask('tools/call', { name: 'read', arguments: { path } });
    return result.content.map(({ text = '' }) => text).join('\n');
  };
  return {
    ...host,
    async read({ read: path, need }) {
      const target = join(place.project, path);
      const answers = [await ask(target)];
      const next = (text) => /Use (\S+) to continue/.exec(text.slice(-400))?.[1];
      const seen = () => seenIn(answers.join('\n'));
      const rest = missing(textOf(place, path), need, seen());
      if (rest === 'whole') {
        for (let at = `${target}:1..`; at !== undefined; at = next(answers.at(-1)))
          answers.push(await ask(at));
      } else if (rest.length > 0)
        answers.push(await ask(`${target}:${rest.map(([from, to]) => `${from}..${to}`).join(',')}`));
      return answers;
    },
  };
}

const WAYS = { alone, behind, called };
