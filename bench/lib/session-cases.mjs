// Sessions of a coding agent, of our own making, on files that are in every checkout: what was said, what was read and run, and
// which lines of it were needed.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { quick } from './quick.mjs';

const CODE = {
  util: 'node_modules/undici/lib/core/util.js',
  retry: 'node_modules/undici/lib/handler/retry-handler.js',
  receiver: 'node_modules/undici/lib/web/websocket/receiver.js',
  cookies: 'node_modules/undici/lib/web/cookies/parse.js',
  fetch: 'node_modules/undici/lib/web/fetch/index.js',
  response: 'node_modules/undici/lib/web/fetch/response.js',
  client: 'node_modules/openai/src/client.ts',
  schemas: 'node_modules/zod/src/v4/core/util.ts',
  json: 'node_modules/zod/src/v4/core/json-schema-processors.ts',
  batches: 'node_modules/@anthropic-ai/sdk/src/resources/messages/batches.ts',
};
const SMALL = [
  'node_modules/undici/lib/core/constants.js',
  'node_modules/undici/lib/core/diagnostics.js',
  'node_modules/undici/lib/dispatcher/pool.js',
  'node_modules/undici/lib/dispatcher/agent.js',
  'node_modules/undici/lib/util/timers.js',
  'node_modules/undici/lib/handler/redirect-handler.js',
];
const PROSE = {
  ioredis: 'node_modules/ioredis/README.md',
  yauzl: 'node_modules/yauzl/README.md',
  commander: 'node_modules/commander/Readme.md',
  semver: 'node_modules/semver/README.md',
  changes: 'node_modules/@anthropic-ai/sdk/CHANGELOG.md',
};

const linesOf = (path) => readFileSync(path, 'utf8').split('\n');

/** The `nth` function of a file with 10 to 80 lines: `{ name, need }`; `need` has pairs of lines (1-based, inclusive). */
function symbolOf(path, nth) {
  const lines = linesOf(path);
  const found = [];
  for (const [i, line] of lines.entries()) {
    const [, indent, name] =
      /^(\s{0,2})(?:export )?(?:private |protected |static )?(?:async )?(?:function\*? )?#?(\w{5,})\s*(?:<.*>)?\(.*\{$/.exec(
        line,
      ) ?? [];
    if (name === undefined || ['switch', 'while', 'catch', 'constructor'].includes(name)) continue;
    const end = lines.findIndex((other, at) => at > i && other.startsWith(`${indent}}`));
    if (end - i >= 9 && end - i < 80) found.push({ name, need: [[i + 1, end + 1]] });
  }
  if (found.length === 0) throw new Error(`${path} has no function of a suitable size.`);
  return found[(nth * 7) % found.length];
}

/** The `nth` chapter of a text in Markdown. */
function chapterOf(path, nth) {
  const lines = linesOf(path);
  const heads = lines.flatMap((line, i) => (/^#{2,3} \S/.test(line) ? [i] : []));
  const found = heads
    .map((from, i) => ({ from, to: (heads[i + 1] ?? lines.length) - 1 }))
    .filter(({ from, to }) => to - from >= 6 && to - from < 70);
  const { from, to } = found[(nth * 5) % found.length];
  const name = (lines[from] ?? '').replace(/^#+ /, '').replaceAll(/[`[\]]|\(.*?\)/g, '');
  return { name, need: [[from + 1, to + 1]] };
}

const wordsOf = (name) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

/** A reading for a function, or a chapter, that was named, paraphrased, or not spoken of before the reading. */
function reading(path, nth, how) {
  const { name, need } = path.endsWith('.md') ? chapterOf(path, nth) : symbolOf(path, nth);
  const says = {
    named: `I look at ${name} in ${basename(path)}.`,
    paraphrased: `Next is the part that has to do with ${wordsOf(name)}.`,
    silent: 'Let me look at the file.',
  }[how];
  return { read: path, need, says };
}

const whole = (path, says = 'Let me read it.') => ({ read: path, need: 'whole', says });

// Outputs of commands, as these tools write them.
const numbers = (count) => Array.from({ length: count }, (_, i) => i);
const OUTPUT = {
  cargo: [
    ...numbers(180).map((i) => `   Compiling crate-${(i * 7919) % 997} v0.${i % 30}.${i % 7}`),
    'warning: unused variable: `limit`\n  --> src/pool.rs:41:9\n   |\n41 |     let limit = 3;\n   |         ^^^^^',
    'error[E0308]: mismatched types\n  --> src/pool.rs:97:20\n   |\n97 |         self.take(count)\n   |                   ^^^^^ expected `usize`, found `i64`',
    'error: could not compile `pool` (lib) due to 1 previous error; 1 warning emitted\n',
  ].join('\n'),
  pytest: [
    '============================= test session starts ==============================\ncollected 240 items\n',
    ...numbers(240).map(
      (i) =>
        `tests/test_${['orders', 'leases', 'pages'][i % 3]}.py::test_case_${i} ${i === 171 ? 'FAILED' : 'PASSED'} [${String(Math.ceil((i + 1) / 2.4)).padStart(3)}%]`,
    ),
    '\n=================================== FAILURES ===================================\n________________________________ test_case_171 _________________________________\n\n    def test_case_171():\n>       assert renewed(lease) == 3\nE       assert 2 == 3\n\ntests/test_orders.py:812: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_orders.py::test_case_171 - assert 2 == 3\n======================== 1 failed, 239 passed in 14.11s ========================\n',
  ].join('\n'),
  npm: [
    ...numbers(14).map((i) => `npm warn deprecated package-${i}@1.${i}.0: it is no longer supported`),
    ...numbers(120).map(
      (i) =>
        `npm http fetch GET 200 https://packages.example/package-${(i * 31) % 113} ${(i * 17) % 400}ms (cache miss)`,
    ),
    '\nadded 812 packages, and audited 813 packages in 21s\n\nfound 0 vulnerabilities\n',
  ].join('\n'),
  git: numbers(90)
    .map(
      (i) =>
        `diff --git a/src/part-${i}.ts b/src/part-${i}.ts\n@@ -${i + 3},3 +${i + 3},3 @@\n-  const limit = ${i};\n+  const limit = ${i + 1};\n`,
    )
    .join(''),
};

/** A log of a service, with an error in the middle; `need` is where that is. */
function serviceLog(count) {
  const at = Math.floor(count * 0.61);
  const lines = numbers(count).map((i) => {
    const time = new Date(Date.UTC(2026, 10, 20, 12) + i * 430).toISOString();
    return i === at
      ? `${time} ERROR lease 4711 was not renewed: connection reset by peer`
      : `${time} INFO request ${(i * 7919) % 100_003} GET /orders/${(i * 31) % 9_973} 200 in ${(i * 17) % 90} ms`;
  });
  return { text: `${lines.join('\n')}\n`, need: [[at - 4, at + 6]] };
}

const runs = (command, output) => ({ run: command, output });

/**
 * `{ name, user, steps, files }`: `user` is what the person says first. A step reads (`read`, `says`, `need`: pairs of lines, or
 * 'whole'), runs (`run`, `output`) or changes a file (`edit`). `files`: texts by name, made for the session. `isWorst`: it
 * shows how much can be lost, and is not in the sum.
 */
export function sessionCases() {
  const log = serviceLog(1_300);
  const huge = serviceLog(9_000);
  const named = symbolOf(CODE.client, 3).name;
  const cases = [
    { name: 'a task without reading', user: 'Write a function that reverses a list.', steps: [] },
    {
      name: 'small files',
      user: 'Explain how connections are pooled.',
      steps: SMALL.map((path) => whole(path)),
    },
    {
      name: 'one function, named',
      user: `Why does ${named} ask twice?`,
      steps: [{ ...reading(CODE.client, 3, 'named'), says: 'I will look.' }],
    },
    {
      name: 'one function, not named',
      user: 'A customer says that it fails sometimes. Find out why.',
      steps: [reading(CODE.util, 2, 'silent')],
    },
    {
      name: 'a change in five modules',
      user: 'Requests must be retried once when the connection was reset. Change it where that is needed.',
      steps: [
        reading(CODE.retry, 1, 'named'),
        reading(CODE.util, 4, 'paraphrased'),
        whole(SMALL[2]),
        reading(CODE.receiver, 2, 'named'),
        reading(CODE.client, 5, 'silent'),
        { edit: CODE.retry },
        runs('pytest -v', OUTPUT.pytest),
      ],
    },
    {
      name: 'the manual: three questions',
      user: 'How do I use it behind a proxy?',
      steps: [
        reading(PROSE.ioredis, 2, 'named'),
        reading(PROSE.yauzl, 1, 'paraphrased'),
        reading(PROSE.commander, 3, 'named'),
      ],
    },
    {
      name: 'a log of a service',
      user: 'Since noon leases get lost. What happened?',
      files: { 'service.log': log.text },
      steps: [{ read: 'service.log', need: log.need, says: 'I look for errors.' }],
    },
    {
      name: 'commands: build, install, tests, diff',
      user: 'The build is broken. Mend it.',
      steps: [
        runs('cargo build', OUTPUT.cargo),
        runs('npm install', OUTPUT.npm),
        runs('pytest -v', OUTPUT.pytest),
        runs('git diff', OUTPUT.git),
        runs('cargo build', OUTPUT.cargo),
        runs('pytest -v', OUTPUT.pytest),
      ],
    },
    {
      name: 'a file read whole, and the person said so',
      user: `Proofread the whole of ${basename(PROSE.semver)}, every sentence.`,
      steps: [whole(PROSE.semver)],
    },
    {
      name: 'a long session',
      user: 'We replace the client. Look at how each part is done now, then change it.',
      steps: [
        runs('git log --stat', OUTPUT.git),
        whole(SMALL[0]),
        reading(CODE.client, 1, 'named'),
        reading(CODE.util, 3, 'paraphrased'),
        reading(CODE.fetch, 2, 'named'),
        reading(CODE.response, 1, 'silent'),
        whole(SMALL[3]),
        reading(PROSE.commander, 2, 'named'),
        runs('npm install', OUTPUT.npm),
        { edit: CODE.util },
        reading(CODE.util, 5, 'named'),
        reading(CODE.schemas, 4, 'named'),
        reading(CODE.json, 1, 'paraphrased'),
        runs('pytest -v', OUTPUT.pytest),
        { edit: CODE.client },
        reading(CODE.client, 6, 'named'),
        whole(CODE.cookies),
        runs('cargo build', OUTPUT.cargo),
        reading(CODE.batches, 2, 'named'),
        runs('pytest -v', OUTPUT.pytest),
      ],
    },
  ];
  if (quick) return cases.filter((_, i) => [0, 2, 7, 8].includes(i));
  return [
    ...cases,
    {
      name: 'a file changed four times, and read again',
      user: `Make ${symbolOf(CODE.json, 2).name} simpler, step by step.`,
      steps: [1, 2, 3, 4].flatMap(() => [
        reading(CODE.json, 2, 'named'),
        { edit: CODE.json },
        runs('pytest -v', OUTPUT.pytest),
      ]),
    },
    {
      name: 'the same unchanged file, three times whole',
      user: 'What does the client do, and where?',
      steps: [1, 2, 3].map((nth) => ({ ...reading(CODE.schemas, nth, 'silent'), isWholeAgain: true })),
    },
    {
      name: 'a log that the agent cannot open whole',
      user: 'Since noon leases get lost. What happened?',
      files: { 'service.log': huge.text },
      steps: [{ read: 'service.log', need: huge.need, says: 'I look for errors.', grep: 'ERROR' }],
    },
    {
      name: 'a module ported to another language',
      user: `Port ${basename(CODE.retry)} to Go.`,
      steps: [whole(CODE.retry), whole(SMALL[1]), runs('cargo build', OUTPUT.cargo)],
    },
    {
      name: 'one of four files is needed whole, unsaid',
      user: 'Bring the documentation up to date.',
      steps: [
        reading(PROSE.ioredis, 4, 'named'),
        whole(PROSE.semver),
        reading(CODE.client, 2, 'named'),
        reading(CODE.receiver, 1, 'paraphrased'),
      ],
    },
    {
      name: 'two places in each of three files, unsaid',
      user: 'There is a mistake somewhere in here. Find it.',
      steps: [CODE.util, CODE.schemas, CODE.fetch].map((path) => ({
        read: path,
        need: [...symbolOf(path, 1).need, ...symbolOf(path, 3).need],
        says: 'Let me look at the file.',
      })),
    },
    {
      name: 'the worst: one file is needed whole, unsaid',
      user: 'Bring the documentation up to date.',
      steps: [whole(PROSE.semver)],
      isWorst: true,
    },
  ];
}
