// npm run screenshots: every view of the dashboard, light and dark, wide and narrow, below .bench/screenshots; those of
// docs/dashboard.md go to docs/dashboard/. Needs Debian's chromium. The calls are real, on files of this project.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = join(root, '.bench/screenshots');
const docs = join(root, 'docs/dashboard');

const SIZES = { wide: { width: 1200, height: 800 }, narrow: { width: 400, height: 800 } };
const SCHEMES = ['light', 'dark'];

/** The variant of each view that is used in the docs. */
const SHOWN = {
  tasks: 'wide-light',
  task: 'wide-light',
  sources: 'wide-dark',
  lens: 'wide-light',
  phone: 'narrow-dark',
};

/** The call that the last answer named. */
const NEXT = Symbol('next');

/** The calls of agents: one reads the end of a long log, one pages by ranges, one by notices, one reads everything and then parts of it again, one follows maps. */
const TASKS = {
  'why the nightly build failed': ['nightly.log:-40', 'nightly.log:31180..31220'],
  'read the log of the build': ['build.log', NEXT, NEXT, NEXT],
  'page through the changelog': [
    'CHANGELOG.md:1..20',
    'CHANGELOG.md:21..40',
    'CHANGELOG.md:41..60',
    'CHANGELOG.md:61..80',
    'CHANGELOG.md:81..100',
  ],
  'fix the paging of tails': [
    '.',
    'src',
    'src/text/by-lines.ts',
    'src/text/by-lines.ts:40..120',
    'src/text/by-lines.ts:60..110',
    'src/text/line-index.ts:1..',
    'src/text/line-index.ts:80..140',
    'src/text/line-index.ts:90..150',
    'src/text/limits.ts',
    'docs/paging.md',
    'docs/paging.md:1..40',
    'src/text/no-such-file.ts',
    'src/text/spool.ts:1..90',
    'src/text/spool.ts:91..180',
    'src/text/spool.ts:181..',
    'CHANGELOG.md',
  ],
  'explain the engine': [
    'ARCHITECTURE.md',
    'src/call:outline',
    'src/call/open-call.ts',
    'src/call/open-call.ts:#openCall',
    'src/text/limits.ts:#AnswerBudget',
  ],
};

async function workspace() {
  const home = mkdtempSync(join(tmpdir(), 'oriel-screenshots-'));
  for (const name of ['src/text', 'src/call', 'docs/paging.md', 'ARCHITECTURE.md', 'CHANGELOG.md'])
    cpSync(join(root, name), join(home, 'project', name), { recursive: true });
  const picture = await sharp(join(root, 'docs/session.svg')).resize(600).png().toBuffer();
  writeFileSync(join(home, 'project/session.png'), picture);
  const log = Array.from(
    { length: 4_000 },
    (_, i) => `step ${i + 1}: compiled module ${(i * 7919) % 4_000}, no warnings`,
  );
  writeFileSync(join(home, 'project/build.log'), log.join('\n'));
  writeFileSync(
    join(home, 'project/nightly.log'),
    Array.from({ length: 8 }, () => log.join('\n')).join('\n'),
  );
  writeFileSync(join(home, 'token'), 'chief\n', { mode: 0o600 });
  return home;
}

/** Starts the server; resolves with its address. */
function serve(home) {
  const args = [
    'serve',
    join(home, 'project'),
    '--listen',
    '127.0.0.1:0',
    '--operator-token-file',
    join(home, 'token'),
  ];
  const child = spawn(process.execPath, [join(root, 'dist/faces/cli/main.js'), ...args], {
    cwd: join(home, 'project'),
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const url = /"address":"(http:[^"]+)"/.exec(said)?.[1];
      if (url) resolve({ url, end: () => child.kill('SIGTERM') });
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}

async function makeCalls(url) {
  for (const [task, paths] of Object.entries(TASKS)) {
    const headers = {
      'content-type': 'application/json',
      'oriel-task': encodeURIComponent(task),
      'oriel-client': 'agent',
    };
    let next;
    for (const path of paths) {
      const body = JSON.stringify({ path: path === NEXT ? next : path });
      const answer = await fetch(`${url}/api/v0/tools/read`, { method: 'POST', headers, body });
      ({ next } = (await answer.json()).details?.truncation ?? {});
      // Models think between two calls.
      await setTimeout(300);
    }
  }
}

/** The views by name, and how to open them. */
const VIEWS = {
  'sign-in': async (page) => {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Token of this server').waitFor();
  },
  tasks: async (page) => {
    await page.getByLabel('Token of this server').fill('chief');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'explain the engine' }).waitFor();
  },
  task: async (page) => {
    await page.getByRole('link', { name: 'fix the paging of tails' }).click();
    await page.getByText('1 to 16 of 16').waitFor();
  },
  sources: async (page) => {
    await page.getByRole('heading', { name: 'Sources' }).evaluate((heading) => heading.scrollIntoView());
  },
  calls: async (page) => {
    await page.getByRole('heading', { name: 'Calls' }).evaluate((heading) => heading.scrollIntoView());
  },
  phone: async (page) => {
    await page.evaluate(() => scrollTo(0, 0));
  },
  lens: async (page, url) => {
    await page.goto(`${url}/#/lens?path=src/text/spool.ts&dialect=oriel&beside=zed&bytes=1024`);
    await page.getByRole('article', { name: 'Under zed' }).locator('pre').first().waitFor();
    await page.getByRole('article', { name: 'Under oriel' }).locator('pre').first().waitFor();
  },
  image: async (page, url) => {
    await page.goto(`${url}/#/lens?path=session.png&dialect=oriel`);
    await page.getByRole('img').waitFor();
  },
};

async function shoot(browser, url, size, scheme) {
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme: scheme });
  await page.goto(url);
  for (const [view, open] of Object.entries(VIEWS)) {
    await open(page, url);
    // Waits for the next frame, in which the plot is drawn.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const picture = await sharp(await page.screenshot())
      .webp({ quality: 70, effort: 6 })
      .toBuffer();
    writeFileSync(join(all, `${view}-${size}-${scheme}.webp`), picture);
    if (SHOWN[view] === `${size}-${scheme}`) writeFileSync(join(docs, `${view}.webp`), picture);
  }
  await page.close();
}

const home = await workspace();
for (const folder of [all, docs]) mkdirSync(folder, { recursive: true });
const { url, end } = await serve(home);
try {
  await makeCalls(url);
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  for (const size of Object.keys(SIZES))
    for (const scheme of SCHEMES) await shoot(browser, url, size, scheme);
  await browser.close();
  console.log(`written to ${all} and ${docs}`);
} finally {
  end();
  rmSync(home, { recursive: true });
}
