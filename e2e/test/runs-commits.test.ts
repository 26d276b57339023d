import type { SqlDatabase } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { boss, json, openState, startEngine } from './runs/engine.ts';

/** Counts the commits of a database that wait for one another: what one caller sees. */
function countCommits(database: SqlDatabase): { readonly sinceLast: () => number } {
  const write = database.write.bind(database);
  let commits = 0;
  database.write = (...args) => {
    commits++;
    return write(...args);
  };
  return {
    sinceLast: () => {
      const counted = commits;
      commits = 0;
      return counted;
    },
  };
}

async function start(tool: string) {
  const { database } = await openState();
  const commits = countCommits(database);
  const engine = await startEngine(database, (stage: Stage) => [
    runRoute('behaviour', 'desk', (ctx: Ctx) => ctx.must(tool), stage),
  ]);
  onTestFinished(async () => {
    await engine.stop();
    await database.close();
  });
  commits.sinceLast();
  return { engine, commits };
}

describe('the commits of a run', () => {
  it.each([
    ['look', 'its start, its step and its end', 3],
    ['once', 'those, and one before what must not happen twice', 4],
  ])('that calls %s are %s', async (tool, _, count) => {
    const { engine, commits } = await start(tool);
    expect((await engine.call('desk')).status).toBe(200);
    expect(commits.sinceLast()).toBe(count);
  });

  it.each([
    ['sign', 'the decision that takes it up, its step and its end', 3],
    ['refund', 'those, and one before what must not happen twice', 4],
  ])('that goes on with %s after a decision are %s', async (tool, _, count) => {
    const { engine, commits } = await start(tool);
    const waiting = await engine.call('desk');
    expect(waiting.status).toBe(202);
    // Its start, the question, and that it waits.
    expect(commits.sinceLast()).toBe(3);
    const [asked] = json<{ pending_approvals: { approval_id: string }[] }>(waiting).pending_approvals;
    const answer = await engine.runner.decide(asked?.approval_id ?? '', {
      approve: true,
      note: '',
      by: boss,
    });
    expect(answer.status).toBe(200);
    expect(commits.sinceLast()).toBe(count);
  });
});
