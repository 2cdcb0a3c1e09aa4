/** The schemes that name files, and those of the host: names, lists, boundaries, and errors that name what exists. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { callsOf, place, type Place } from '../../support/dialect.ts';
import { withoutLag } from '../../support/lag.ts';

let here: Place;
let home: string;
const read = async (path: string): Promise<string> => (await here.call('read', { path })).text;

beforeEach(() => {
  home = temporaryFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_DATA_HOME', join(home, 'data'));
  here = place('oriel', { display: 'plain' });
});

function write(path: string, content: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
}

describe('skill://', () => {
  const skill = (about: string): string => `---\nname: x\ndescription: ${about}\n---\n# Do it\n`;

  test('lists the skills of the project with their descriptions', async () => {
    here.write('.agents/skills/deploy/SKILL.md', skill('"Deploys a service"'));
    here.write('.claude/skills/review/SKILL.md', skill('>\n  Reviews a change'));
    here.write('.claude/skills/deploy/SKILL.md', skill('hidden by the first one'));
    here.write('.claude/skills/empty/notes.md', '');
    expect(await read('skill://')).toBe(
      'skill://deploy  Deploys a service\nskill://review  Reviews a change\n',
    );
  });

  test.each([
    ['>-\n  Does good\n  things\n  twice', 'Does good things twice'],
    ['|\n  Does good\n\n  things', 'Does good things'],
    ['Does good\n  things', 'Does good things'],
    ['"Does good"', 'Does good'],
    ['>', ''],
  ])('a description of several lines is joined to one: %j', async (about, expected) => {
    here.write(
      '.agents/skills/x/SKILL.md',
      `---\nname: x\ndescription: ${about}\nlicense: MIT\n---\n# Do it\n`,
    );
    expect(await read('skill://')).toBe(`skill://x${expected === '' ? '' : `  ${expected}`}\n`);
  });

  test('a missing file is answered with the existing ones', async () => {
    here.write('.agents/skills/deploy/SKILL.md', '1\n');
    here.write('.agents/skills/deploy/references/a.md', 'a\n');
    expect(await read('skill://deploy/references/zz.md')).toContain('skill://deploy/references/a.md');
    expect(await read('skill://deploy/elsewhere')).toContain('skill://deploy/');
    expect(await read('skill://other/zz.md')).toContain('skill://deploy');
  });

  test('reads a skill, its files, and parts of both', async () => {
    here.write('.agents/skills/deploy/SKILL.md', '1\n2\n3\n');
    here.write('.agents/skills/deploy/references/a.md', 'a\nb\n');
    expect(await read('skill://deploy')).toBe('1\n2\n3\n');
    expect(await read('skill://deploy:2..2')).toBe('2\n');
    expect(await read('skill://deploy/references/a.md:-1')).toContain('b\n');
    expect(await read('skill://deploy/references')).toContain('a.md');
  });

  test('user skills are listed unless the roots exclude them', async () => {
    write(join(home, '.claude/skills/mine/SKILL.md'), 'mine\n');
    expect(await read('skill://mine')).toMatch(/^skill:\/\/mine does not exist\. skill:\/\/ is empty\./);
    here = place('oriel', { display: 'plain', roots: [] });
    expect(await read('skill://mine')).toBe('mine\n');
  });

  describe("the user's own, beside the roots", () => {
    const mine = (): Place => place('oriel', { display: 'plain', userFiles: true });

    test('are read if the operator allows; the project’s take precedence', async () => {
      write(join(home, '.claude/skills/mine/SKILL.md'), 'mine\n');
      write(join(home, '.claude/skills/both/SKILL.md'), 'of the user\n');
      write(join(home, 'data/oriel/memory/taste.md'), 'tabs\n');
      expect(await read('skill://')).toBe(
        "(no skills in .agents/skills or .claude/skills; the user's own are outside the roots: the operator of oriel can allow them with userFiles: true)\n",
      );
      here = mine();
      here.write('.agents/skills/both/SKILL.md', 'of the project\n');
      expect(await read('skill://')).toBe('skill://both\nskill://mine\n');
      expect(await read('skill://mine:1..1')).toBe('mine\n');
      expect(await read('skill://both')).toBe('of the project\n');
      expect(await read('memory://taste')).toBe('tabs\n');
    });

    test('nothing else of the home directory is readable', async () => {
      write(join(home, 'secret/SKILL.md'), 'secret\n');
      write(join(home, '.claude/skills/mine/SKILL.md'), 'mine\n');
      symlinkSync(join(home, 'secret'), join(home, '.claude/skills/link'));
      symlinkSync(join(home, 'secret/SKILL.md'), join(home, '.claude/skills/mine/more.md'));
      here = mine();
      expect(await read('skill://')).toBe('skill://mine\n');
      const paths = ['skill://link', 'skill://mine/more.md', 'skill://mine/../../../secret/SKILL.md'];
      for (const path of [...paths, join(home, '.claude/skills/mine/SKILL.md'), `${home}/secret`]) {
        const { text, isError } = await here.call('read', { path });
        expect(isError).toBe(true);
        expect(text).not.toContain('secret\n');
      }
    });

    test('a home directory without any is not accessible', async () => {
      write(join(home, 'secret/SKILL.md'), 'secret\n');
      here = mine();
      expect(await read('skill://')).toBe(
        "(no skills in .agents/skills or .claude/skills; the user's own are outside the roots: the operator of oriel can allow them with userFiles: true)\n",
      );
    });
  });

  test('nothing outside the roots, by any name', async () => {
    const outside = temporaryFolder();
    write(join(outside, 'SKILL.md'), 'secret\n');
    mkdirSync(join(here.folder, '.agents/skills'), { recursive: true });
    symlinkSync(outside, join(here.folder, '.agents/skills/link'));
    expect(await read('skill://')).not.toContain('link');
    for (const name of ['link', 'link/SKILL.md', '../../../etc/passwd', '/etc/passwd', 'a/../../x']) {
      const { text, isError } = await here.call('read', { path: `skill://${name}` });
      expect(isError).toBe(true);
      expect(text).not.toMatch(/secret|root:/);
    }
  });
});

describe('special files in a project', () => {
  test.each(['link to itself', 'FIFO'])('a %s does not break the lists', async (what) => {
    const odd = (path: string): void => {
      const at = join(here.folder, path);
      mkdirSync(dirname(at), { recursive: true });
      if (what === 'FIFO') execFileSync('mkfifo', [at]);
      else symlinkSync(basename(at), at);
    };
    here.write('.agents/skills/good/SKILL.md', 'good\n');
    here.write('.agents/rules/good.md', 'good\n');
    for (const path of ['.agents/skills/odd/SKILL.md', 'AGENTS.md', '.cursor/rules', '.claude/skills'])
      odd(path);
    expect(await read('skill://')).toContain('skill://good\n');
    expect(await read('rule://')).toBe('rule://good.md\n');
    const { details } = await here.call('read', { path: 'skill://odd' });
    expect(details['error']).toMatchObject({ code: what === 'FIFO' ? 'NOT_REGULAR' : 'LOOP' });
  });

  test.each(['skill', 'rule', 'memory', 'local', 'oriel', 'agent'])(
    '%s:// has no zero bytes',
    async (scheme) => {
      for (const name of ['\0', 'a\0b', 'a\0/SKILL.md', 'a/b\0:1..2']) {
        const { details } = await here.call('read', { path: `${scheme}://${name}` });
        expect(details['error']).toMatchObject({
          code: expect.stringMatching(/^(?:BAD_PATH|NOT_FOUND|UNSUPPORTED)$/),
        });
      }
    },
  );
});

describe('rule://', () => {
  test('lists the rules of the project and reads by name', async () => {
    here.write('AGENTS.md', 'agents\n');
    here.write('.cursor/rules/style.mdc', 'style\n');
    here.write('.agents/rules/ts/types.md', 'types\n');
    expect(await read('rule://')).toBe('rule://AGENTS.md\nrule://ts/types.md\nrule://style.mdc\n');
    expect(await read('rule://AGENTS.md')).toBe('agents\n');
    expect(await read('rule://style.mdc')).toBe('style\n');
    expect(await read('rule://ts/types')).toBe('types\n');
  });

  test('does not give access to other files', async () => {
    here.write('secret.txt', 'x');
    expect(await read('rule://secret.txt')).toBe(
      'rule://secret.txt does not exist. rule:// is empty. Use rule://.',
    );
  });
});

describe('memory://', () => {
  test('lists those of the project first, then of the user', async () => {
    here = place('oriel', { display: 'plain', roots: [] });
    here.write('.oriel/memory/plan.md', 'project\n');
    write(join(home, 'data/oriel/memory/plan.md'), 'user\n');
    write(join(home, 'data/oriel/memory/taste.md'), 'tabs\n');
    expect(await read('memory://')).toBe('memory://plan.md\nmemory://taste.md\n');
    expect(await read('memory://plan')).toBe('project\n');
    expect(await read('memory://taste.md')).toBe('tabs\n');
  });

  test('a name may be percent-encoded unless it exists literally', async () => {
    here.write('.oriel/memory/the plan.md', '1\n2\n');
    here.write('.oriel/memory/50%25.md', 'as typed\n');
    here.write('.oriel/memory/50%.md', 'decoded\n');
    expect(await read('memory://the%20plan')).toBe('1\n2\n');
    expect(await read('memory://the%20plan.md:2..')).toBe('2\n');
    expect(await read('memory://50%25')).toBe('as typed\n');
    expect(await read('memory://100%25')).toContain('memory://100%25 does not exist.');
    expect(await read('memory://%2e%2e/x')).toBe('memory://../x leads out. Use memory:// for the names.');
    expect(await read('memory://a%00')).toContain('contains a NUL byte');
    expect(await read('memory://%ff')).toContain('does not exist');
  });

  test('an empty list says where notes are stored', async () => {
    expect(await read('memory://')).toBe(`(no notes. Write them below ${here.folder}/.oriel/memory)\n`);
  });
});

describe('local://', () => {
  test('is the scratch directory of the session, shown if empty', async () => {
    const directory = /Files in (.*) are read as local:/.exec(await read('local://'))?.[1] ?? '';
    await here.call('bash', {
      command: `seq 5 > '${directory}/five.txt'; ln -s /etc/passwd '${directory}/link'`,
    });
    expect(await read('local://')).toBe('local://five.txt\n');
    expect(await read('local://five.txt:4..')).toBe('4\n5\n');
    expect((await here.call('read', { path: 'local://link' })).isError).toBe(true);
  });

  test('every session has its own', async () => {
    writeFileSync(join(here.oriel.session.spills.local(), 'a'), 'x');
    here = place('oriel', { display: 'plain' });
    expect(await read('local://a')).toBe('local://a does not exist. local:// is empty. Use local://.');
  });
});

describe('agent://', () => {
  let outputs: string;
  const report = { findings: [{ title: 'one', tags: ['a', 'b'] }, { title: 'two' }], 'a key': 1, length: 7 };
  beforeEach(() => {
    outputs = temporaryFolder();
    here = place('oriel', { display: 'plain', agentOutputs: outputs });
    write(join(outputs, 'scout.json'), JSON.stringify(report));
    write(join(outputs, 'notes.md'), '# Notes\n');
  });

  test('lists and reads outputs', async () => {
    expect(await read('agent://')).toBe('agent://notes\nagent://scout\n');
    expect(await read('agent://notes')).toBe('# Notes\n');
    expect(await read('agent://notes:1..1')).toBe('# Notes\n');
    expect(await read('agent://notes/')).toBe('# Notes\n');
  });

  test('an output with special characters is read by its name', async () => {
    write(join(outputs, 'a:b.json'), '{"k":"of a:b"}');
    write(join(outputs, 'what?.md'), 'of what?\n');
    write(join(outputs, 'a.txt'), 'of a\n');
    expect(await read('agent://')).toMatch(/^agent:\/\/a\nagent:\/\/a:b\n/);
    expect(await read('agent://a:b')).toBe('{"k":"of a:b"}');
    expect(await read('agent://a:b/k')).toBe('of a:b');
    expect(await read('agent://a:b?q=.k')).toBe('of a:b');
    expect(await read('agent://what?')).toBe('of what?\n');
    expect(await read('agent://a:1..1')).toBe('of a\n');
  });

  test.each([
    ['/findings/0/title', 'one'],
    ['?q=.findings[1].title', 'two'],
    ['?q=findings[0].tags', '[\n  "a",\n  "b"\n]\n'],
    ['?q=.["a key"]', '1\n'],
    ['/a%20key', '1\n'],
    ['/length', '7\n'],
  ])('extracts a part: %s', async (part, expected) => {
    expect(await read(`agent://scout${part}`)).toBe(expected);
  });

  test.each([
    ['/id', '12345678901234567890\n'],
    ['/list', '[\n  9007199254740993,\n  1.10,\n  1e400\n]\n'],
    ['/twice', '2.50\n'],
    ['/empty', '{}\n'],
  ])('a number is shown as it was written: %s', async (part, expected) => {
    const ids = '12345678901234567890,'.repeat(9_000);
    write(
      join(outputs, 'ids.json'),
      `{"id":12345678901234567890,"list":[9007199254740993,1.10,1e400],"twice":1,"twice":2.50,"empty":{},"long":[${ids}0]}`,
    );
    expect(await read(`agent://ids${part}`)).toBe(expected);
    expect((await here.call('read', { path: 'agent://ids/long' })).text).toMatch(
      /^\[\n {2}12345678901234567890,/,
    );
  });

  test.each([
    [
      'scout/findings:50',
      'Cannot combine query extraction with offset/limit. A part of an output takes no selector. Use agent://scout/findings.',
    ],
    [
      'scout/findings/9',
      '9 is not in agent://scout/findings, which has 2 items. Use agent://scout/findings.',
    ],
    ['scout/__proto__', /^__proto__ is not in agent:\/\/scout, which has findings, a key, length\./],
    ['scout?q=.findings[', /is not a query\. Use keys and indexes/],
    ['notes/x', /^agent:\/\/notes is not valid JSON/],
    [
      'other',
      'agent://other does not exist. There are agent://notes, agent://scout. Use agent:// for the list.',
    ],
    ['../secret', /does not exist/],
  ])('reports the error: %s', async (name, message) => {
    const { text, isError } = await here.call('read', { path: `agent://${name}` });
    expect(isError).toBe(true);
    if (typeof message === 'string') expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  test('a part with escaped characters names the unescaped call', async () => {
    write(join(outputs, 'ctl.json'), JSON.stringify({ a: 'bell \u0007.', b: 'café' }));
    const { text } = await here.call('read', { path: 'agent://ctl/a' });
    const [, use = ''] = /(artifact:\/\/\d+:raw) has it as stored/.exec(text) ?? [];
    expect((await here.call('read', { path: use })).text).toContain('bell \u0007.');
    expect(await read('agent://ctl/b')).toBe('café');
  });

  test.each([
    ['UTF-16', Buffer.from('\ufeff{"a":"café"}', 'utf16le'), /^café$/],
    ['UTF-8 with a mark', Buffer.from('\ufeff{"a":"café"}'), /^café$/],
    [
      'UTF-8 that is invalid',
      Buffer.from('{"a":"caf\xe9"}', 'latin1'),
      /^caf\ufffd\n?\[1 invalid sequence in agent:\/\/stored shown as U\+FFFD\]$/,
    ],
  ])('a part of an output in %s', async (_, content, expected) => {
    writeFileSync(join(outputs, 'stored.json'), content);
    expect((await here.call('read', { path: 'agent://stored/a' })).text).toMatch(expected);
  });

  test('a part larger than an answer continues as an artifact', async () => {
    const lines = Array.from({ length: 9_000 }, (_, i) => i);
    write(join(outputs, 'long.json'), JSON.stringify({ lines }));
    const { text } = await here.call('read', { path: 'agent://long/lines' });
    const next = /Use (artifact:\/\/1:\d+\.\.) to continue\]$/.exec(text)?.[1] ?? '';
    expect(await read(next)).toMatch(/^ {2}\d+,\n/);
    const again = await Promise.all([1, 2, 3].map(() => read('agent://long/lines')));
    expect(again).toEqual([text, text, text]);
    expect(await read('artifact://')).toMatch(/^artifact:\/\/1 .*\n$/);
    const { details } = await here.call('read', { path: next });
    rmSync(dirname((details['meta'] as { path: string }).path), { recursive: true });
    const [, kept = ''] = /Use (\S+) to continue\]$/.exec(await read('agent://long/lines')) ?? [];
    expect(await read(kept)).toMatch(/^ {2}\d+,\n/);
  });

  test('a directory replaced by a link is not entered', async () => {
    const outside = temporaryFolder();
    write(join(outside, 'secret.json'), '{"k":"secret"}');
    expect(await read('agent://scout/length')).toBe('7\n');
    rmSync(outputs, { recursive: true });
    symlinkSync(outside, outputs);
    for (const path of ['agent://', 'agent://secret', 'agent://secret/k', 'agent://secret:1..1']) {
      const { answer } = await here.call('read', { path });
      expect(JSON.stringify(answer)).not.toMatch(/"secret|secret.json/);
    }
  });

  test.each([
    ['a wide array below many levels', () => `${'['.repeat(400)}${'0,'.repeat(200_000)}0${']'.repeat(400)}`],
    ['very many levels', () => '['.repeat(300_000) + ']'.repeat(300_000)],
    ['a large flat array', () => `[${'"0123456789",'.repeat(1_000_000)}0]`],
  ])('%s is bounded, in time and in size', { tags: 'slow' }, async (_, content) => {
    write(join(outputs, 'boom.json'), content());
    const { text, details } = await withoutLag(() => here.call('read', { path: 'agent://boom/0' }));
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    expect(details['error'] ?? {}).not.toMatchObject({ code: 'INTERNAL' });
  });

  test('names with terminal control characters are escaped everywhere', async () => {
    write(join(outputs, 'e\u001b[31m\nX.json'), '{"a":{"b":1}}');
    for (const part of ['/zz', '/a/zz', '/a:1..1', '?q=.zz']) {
      const { answer } = await here.call('read', { path: `agent://e\u001b[31m\nX${part}` });
      expect(answer.isError).toBe(true);
      const { error } = answer.details as { error: { message: string; next: string } };
      expect(error.message + error.next).not.toMatch(/\p{Cc}/u);
      expect(error.next).toBe('agent://');
    }
  });

  test('without a directory it says how to configure one', async () => {
    here = place('oriel', { display: 'plain', agentOutputs: undefined as never });
    expect(await read('agent://')).toBe(
      '(no directory of outputs is named. The operator of oriel can name it with the option agentOutputs; until then, read an output by the path of its file)\n',
    );
    expect(await read('agent://x')).toBe(
      'agent://x does not exist: no directory of outputs is named. The operator of oriel can name it with the option agentOutputs; until then, read an output by the path of its file.',
    );
  });
});

describe('lists', () => {
  test('report truncation', async () => {
    for (let i = 0; i < 1_005; i += 1) here.write(`.oriel/memory/${i}.md`, '');
    const { text } = await here.call('read', { path: 'memory://' });
    expect(text).toContain('[The list has the first 1000 of 1005 names; others can be read by name]');
  });

  test('open a bounded number of directories', { tags: 'slow' }, async () => {
    for (let i = 0; i < 30; i += 1)
      for (let j = 0; j < 20; j += 1)
        mkdirSync(join(here.folder, `.oriel/memory/${i}/${j}`), { recursive: true });
    expect(await read('memory://')).toContain('names; others can be read by name]');
    expect(await read('memory://missing')).toMatch(/^memory:\/\/missing does not exist\./);
  });

  /** So many empty files, with the number of each in its name. */
  const fill = (at: string, name: string, count: number): void => {
    mkdirSync(at, { recursive: true });
    execFileSync('sh', ['-c', `seq -f '${name}' ${count} | xargs touch`], { cwd: at });
  };

  test('examine a bounded number of entries over all directories', { tags: 'slow' }, async () => {
    for (const name of ['a', 'b', 'c']) fill(join(here.folder, '.oriel/memory', name), 'n%g', 8_000);
    // The three directories are entries too.
    expect(await read('memory://')).toContain(
      '[The list has the first 1000 of 19997 or more names; others can be read by name]',
    );
    expect(await read('memory://c/n8000')).toBe('[memory://c/n8000 is empty: 0 lines]');
  });

  test('a mistyped name is answered with similar ones', async () => {
    here.write('.oriel/memory/architecture.md', '');
    here.write('.oriel/memory/plan.md', '');
    expect(await read('memory://architecure.md')).toBe(
      'memory://architecure.md does not exist. Did you mean memory://architecture.md? Use memory:// for the list.',
    );
  });
});

test('oriel:// is the manual', async () => {
  expect(await read('oriel://')).toContain('oriel://selectors.md\n');
  expect(await read('oriel://errors:1..1')).toMatch(/^# /);
  const { text, details } = await here.call('read', { path: 'oriel://selecotrs' });
  expect(text).toBe(
    'oriel://selecotrs does not exist. Did you mean oriel://selectors? Use oriel:// for the list.',
  );
  expect(await read((details['error'] as { next: string }).next)).toMatch(/^# /);
});

test('every list is paged to its end by its notices', async () => {
  const outputs = temporaryFolder();
  const limits = { lines: 2 };
  here = place('oriel', { display: 'plain', agentOutputs: outputs, userFiles: true, limits });
  const [scratch = ''] = /\/\S+local/.exec(await read('local://')) ?? [];
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) {
    write(join(outputs, `${name}.md`), 'x\n');
    here.write(`.oriel/memory/${name}.md`, 'x\n');
    here.write(`.agents/skills/${name}/SKILL.md`, 'x\n');
    here.write(`.agents/rules/${name}.md`, 'x\n');
    write(join(scratch, `${name}.txt`), 'x\n');
    await here.call('bash', { command: 'seq 20000' });
  }
  for (const scheme of ['agent', 'memory', 'skill', 'rule', 'local', 'artifact', 'oriel']) {
    const found: string[] = [];
    for (let next: string | undefined = `${scheme}://`; next !== undefined;) {
      const page = await read(next);
      found.push(...page.split('\n').filter((line) => line.startsWith(`${scheme}://`)));
      next = /Use (\S+) to continue\]$/.exec(page)?.[1];
    }
    expect(new Set(found).size).toBe(found.length);
    expect([scheme, found.length]).toEqual([
      scheme,
      expect.toSatisfy((count: number) => count >= names.length),
    ]);
  }
});

test('artifact:// lists the kept outputs', async () => {
  expect(await read('artifact://')).toBe('(no output has been kept)\n');
  await here.call('bash', { command: 'seq 20000' });
  expect(await read('artifact://')).toBe('artifact://1  106 KiB\n');
});

describe('schemes of the host', () => {
  test('add, replace or remove schemes', async () => {
    here = place('oriel', {
      display: 'plain',
      schemes: {
        ticket: (name) => (name === '' ? 'ticket://42\n' : name === '42' ? 'a\nb\nc\n' : undefined),
        memory: async () => Promise.resolve(Buffer.from('mine\n')),
        rule: false,
      },
    });
    expect(await read('ticket://')).toBe('ticket://42\n');
    expect(await read('ticket://42:2..2')).toBe('b\n');
    expect(await read('ticket://43')).toBe('ticket://43 does not exist. Use ticket:// for the list.');
    expect(await read('memory://x')).toBe('mine\n');
    expect(await read('rule://AGENTS.md')).toBe(
      'rule:// is not read here. Use a path like src/app.ts, or one of agent://, artifact://, git://, issue://, local://, ' +
        'mcp://, memory://, oriel://, pr://, s3://, skill://, ticket://.',
    );
  });

  test('an unknown one is answered with the enabled ones', async () => {
    const cwd = temporaryFolder();
    const offline = createOriel({ cwd, roots: [cwd], web: false, s3: false });
    onTestFinished(() => offline.close());
    const { text } = await callsOf(offline)('read', { path: 'nope://x' });
    expect(text).toBe(
      'nope:// is not read here. Use a path like src/app.ts, or one of artifact://, git://, local://, memory://, oriel://, ' +
        'rule://, skill://.',
    );
  });

  test('one without a list lists none', async () => {
    here = place('oriel', { schemes: { ticket: (name) => (name === '42' ? 'a\n' : undefined) } });
    expect(await read('ticket://43')).toBe('ticket://43 does not exist, and ticket:// has no list of names.');
    expect(await read('ticket://')).toBe('ticket:// has no list. Use it with a name: ticket://NAME.');
  });

  test('an error of one is attributed to the host', async () => {
    here = place('oriel', {
      schemes: {
        ticket: () => {
          throw new Error('no network');
        },
      },
    });
    const { text } = await here.call('read', { path: 'ticket://1' });
    expect(text).toMatch(/failed in its own code \(schemes\)/);
  });
});
