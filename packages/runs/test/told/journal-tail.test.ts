import type { AuditRecord, OpRecord, RunHead, RunPage } from '@waymark/contract/stores';
import { opRecord, runRecord, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { JournalTail } from '../../src/told/journal-tail.ts';

const hourMs = 3_600_000;

/** A table of roots, whose steps are recorded by clocks that are set at will. */
function journal() {
  const roots = new Map<string, { head: RunHead; ops: OpRecord[] }>();
  const record = (rootId: string, byMs = 0, count = 1): void => {
    const { head, ops } = roots.get(rootId) ?? {
      ops: [],
      head: { rootId, lastOrd: 0, retryOrd: 0, ended: false },
    };
    for (let i = 0; i < count; i++) {
      const ord = ops.length + 1;
      const times = { startedMs: 10 * hourMs + byMs, endedMs: 10 * hourMs + byMs + 1 };
      ops.push({ ...opRecord(rootId, ord, times), ord });
    }
    roots.set(rootId, { head: { ...head, lastOrd: ops.length }, ops });
  };
  const change = (rootId: string, fields: Partial<RunHead>): void => {
    const root = roots.get(rootId);
    if (root) roots.set(rootId, { ...root, head: { ...root.head, ...fields } });
  };
  const tail = new JournalTail({
    heads: async ({ roots: named, open }) => {
      const all = [...roots.values()].map(({ head }) => head);
      return open > 0
        ? all.filter(({ ended }) => !ended).slice(0, open)
        : all.filter(({ rootId }) => named.includes(rootId));
    },
    page: async (rootId, after, count): Promise<RunPage | undefined> => {
      const root = roots.get(rootId);
      const ops = root?.ops.slice(after, after + count).map((op) => ({ ...op, spend: [], agent: 'guard' }));
      return ops && { root: runRecord(rootId), lastOrd: root?.head.lastOrd ?? 0, ops, approvals: [] };
    },
  });
  /** What is told after the audit log said this. */
  const read = async (...said: readonly (readonly [kind: string, runId: string, at?: number])[]) => {
    const { steps, missed } = await tail.read(
      said.map(([kind, runId, at]): AuditRecord => {
        return { id: 'e', at_ms: 0, kind, run_id: runId, ...(at !== undefined && { at }) };
      }),
    );
    return [...steps.map(({ root_run_id, seq }) => `${root_run_id}#${seq}`), ...(missed ? ['missed'] : [])];
  };
  return { record, change, read };
}

describe('a tail of the journal', () => {
  it.each([0, 2 * hourMs, -2 * hourMs])(
    'tells each later step once, with clocks set by %i ms',
    async (byMs) => {
      verifies('feed.clocks');
      const { record, change, read } = journal();
      for (const old of ['rests', 'ended', 'failed']) record(old, 0, 3);
      change('ended', { ended: true });
      change('failed', { ended: true });
      expect(await read()).toEqual([]);
      record('new', byMs);
      record('brief', byMs);
      change('brief', { ended: true });
      expect(await read(['run_started', 'new'], ['run_started', 'brief'], ['run_finished', 'brief'])).toEqual(
        [...['new#1', 'brief#1']],
      );
      // What was said before is heard of late; a run that rested for days goes on.
      record('rests', byMs);
      expect(await read(['run_finished', 'ended'], ['run_finished', 'brief'])).toEqual(['rests#4']);
      change('failed', { ended: false, retryOrd: 3 });
      record('failed', byMs);
      record('new', -byMs);
      expect((await read(['run_retried', 'failed'])).sort()).toEqual(['failed#4', 'new#2']);
      change('failed', { ended: true });
      expect(await read(['run_finished', 'failed'], ['run_finished', 'new.1'])).toEqual([]);
      change('failed', { ended: false, retryOrd: 4 });
      record('failed', byMs);
      expect(await read(['run_retried', 'failed'])).toEqual(['failed#5']);
    },
  );

  it('tells of a fork what it did itself', async () => {
    const { record, read } = journal();
    await read();
    record('fork', 0, 3);
    expect(await read(['run_forked', 'fork', 3])).toEqual(['fork#3']);
  });

  it('knows a new root also by what another process said of it before its begin was written', async () => {
    const { record, read } = journal();
    await read();
    record('new', -hourMs);
    expect(await read(['approval_decided', 'new.1'])).toEqual(['new#1']);
    expect(await read(['run_started', 'new'])).toEqual([]);
  });

  it('tells nothing of the last leg of a root that had ended, and is heard of late', async () => {
    const { record, change, read } = journal();
    record('old', 0, 4);
    change('old', { ended: true, retryOrd: 2 });
    await read();
    expect(await read(['run_finished', 'old'])).toEqual([]);
  });

  it.each([
    [999, ['r0#2']],
    [1_000, ['r0#2']],
    [1_001, ['missed']],
  ])('keeps the places of 1,000 roots: of %i', async (count, told) => {
    verifies('feed.clocks');
    const { record, change, read } = journal();
    // The last one of those that rest is the one beyond.
    for (let i = count - 1; i >= 0; i--) record(`r${i}`);
    await read();
    record('r0');
    expect(await read(['approval_decided', 'r0.1'])).toEqual(told);
    record('r0');
    expect(await read(['approval_decided', 'r0.1'])).toEqual(['r0#3']);
    record('new');
    change('new', { ended: true });
    expect(await read(['run_started', 'new'])).toEqual(['new#1']);
  });

  it('forgets roots that have ended before others', async () => {
    const { record, change, read } = journal();
    record('rests');
    await read();
    for (let i = 0; i < 1_500; i++) {
      record(`r${i}`);
      change(`r${i}`, { ended: true });
      expect(await read(['run_started', `r${i}`])).toEqual([`r${i}#1`]);
    }
    record('rests');
    expect(await read()).toEqual(['rests#2']);
    expect(await read(['run_finished', 'r0'])).toEqual([]);
  });
});
