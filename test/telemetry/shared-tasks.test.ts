import { describe, expect, onTestFinished, test } from 'vitest';
import { SharedTasks, TelemetryRecorder } from '../../src/telemetry/telemetry.ts';
import { TaskFigures } from '../../src/telemetry/task-figures.ts';
import type { CallEvent } from '../../src/types/telemetry.ts';
import type { SharedState } from '../../src/types/state.ts';
import { MemoryStore, requestsOf } from '../support/memory-store.ts';
import { noteOf } from '../support/telemetry.ts';

const call = (bytes: number): CallEvent => ({
  kind: 'call',
  task: '',
  at: 1,
  ms: 1,
  dialect: 'oriel',
  tool: 'read',
  bytes,
  tokens: bytes / 4,
});

describe('tasks that go through several replicas', () => {
  const store = new MemoryStore();

  interface Replica {
    readonly tasks: SharedTasks;
    readonly state: SharedState;
    count(figures: TaskFigures, bytes: number): void;
  }
  function replica(space: string, secret?: string): Replica {
    const state = store.replica(secret);
    const tasks = new SharedTasks(() => state.space(space));
    onTestFinished(() => tasks.close());
    return {
      tasks,
      state,
      count(figures, bytes) {
        figures.add(call(bytes));
        tasks.changed(figures, undefined);
      },
    };
  }
  const uses = ({ state }: Replica): number => requestsOf(state);

  test('a thousand calls cost as much as one, without waiting', async () => {
    const one = replica('cost');
    const figures = new TaskFigures('t');
    for (let i = 0; i < 1_000; i += 1) one.count(figures, 4);
    expect(uses(one)).toBe(0);
    await one.tasks.flush();
    expect(uses(one)).toBe(2);
    // It is looked at once more, and then rests.
    await one.tasks.flush();
    await one.tasks.flush();
    expect(uses(one)).toBe(3);
  });

  test('concurrent updates of two replicas are each counted once', async () => {
    const replicas = Array.from({ length: 4 }, () => replica('together'));
    const figures = replicas.map(() => new TaskFigures('t'));
    for (let round = 1; round <= 5; round += 1) {
      for (const [i, one] of replicas.entries()) one.count(figures[i] as TaskFigures, 100);
      await Promise.all(replicas.map(({ tasks }) => tasks.flush()));
    }
    for (const [i, { tasks }] of replicas.entries())
      await expect
        .poll(async () => {
          await tasks.flush();
          return (await tasks.everywhere(figures[i] as TaskFigures))?.calls;
        })
        .toBe(20);
    expect(await replicas[0]?.tasks.totals(figures[0] as TaskFigures)).toMatchObject({
      id: 't',
      bytes: 2_000,
      averageBytes: 100,
    });
  });

  test('tasks are separate by space, operator and name', async () => {
    const [one, others] = [
      replica('client alice'),
      [replica('client bob'), replica('client alice', 'k'.repeat(40))],
    ];
    one.count(new TaskFigures('t'), 4);
    await one.tasks.flush();
    for (const other of others) {
      const figures = new TaskFigures('t');
      other.count(figures, 4);
      expect((await other.tasks.everywhere(figures))?.calls).toBe(1);
    }
    const figures = new TaskFigures('another');
    one.count(figures, 4);
    expect((await one.tasks.everywhere(figures))?.calls).toBe(1);
  });

  test('any number of replicas over time keeps the value small', async () => {
    const space = 'many';
    let last: Replica | undefined;
    const figures = new TaskFigures('t');
    for (let i = 0; i < 40; i += 1) {
      last = replica(space);
      const own = i === 39 ? figures : new TaskFigures('t');
      last.count(own, 4);
      await last.tasks.flush();
    }
    expect((await last?.tasks.everywhere(figures))?.calls).toBe(32);
  });

  test('without the store replicas count locally, and add up later', async () => {
    const [one, two] = [replica('cut'), replica('cut')];
    const [mine, theirs] = [new TaskFigures('t'), new TaskFigures('t')];
    store.kill();
    one.count(mine, 4);
    expect(await one.tasks.everywhere(mine)).toBeUndefined();
    expect((await one.tasks.totals(mine)).calls).toBe(1);
    store.restart();
    two.count(theirs, 4);
    await expect
      .poll(async () => {
        await one.tasks.flush();
        return (await two.tasks.everywhere(theirs))?.calls;
      })
      .toBe(2);
  });

  test('the task of a session is local and not written', async () => {
    const { state, tasks } = replica('sessions');
    await tasks.close();
    const telemetry = new TelemetryRecorder({ spaces: () => state.space('sessions') });
    telemetry.record(noteOf(call(4), undefined), undefined);
    telemetry.record(noteOf(call(4), 'named'), undefined);
    expect(await telemetry.totals({})).toMatchObject({ calls: 1 });
    expect(await telemetry.totals({ task: 'named' })).toMatchObject({ calls: 1 });
    await telemetry.close();
    expect(state.stats().operations.get('put')).toMatchObject({ ok: 1 });
  });

  test('a session closed during a flush writes its last counts', async () => {
    const [one, other] = [replica('closed'), replica('closed')];
    const figures = Array.from({ length: 5 }, (_, i) => new TaskFigures(`t${i}`));
    for (const own of figures) one.count(own, 4);
    void one.tasks.flush();
    await one.tasks.close();
    const used = uses(one);
    for (const { id } of figures) {
      const seen = new TaskFigures(id);
      other.count(seen, 8);
      expect((await other.tasks.everywhere(seen))?.bytes).toBe(12);
    }
    // Nothing goes on.
    one.count(figures[0] as TaskFigures, 4);
    await one.tasks.flush();
    expect(uses(one)).toBe(used);
  });
});
