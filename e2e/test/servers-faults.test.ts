/** Each promise that `servers.drill.ts` checks, broken once: whoever checks must see it. */
import { describe, expect, it } from 'vitest';
import type { ClientEnd } from './servers/client.ts';
import { findFaults } from './servers/find-faults.ts';
import { type Job, makeJobs } from './servers/jobs.ts';
import type { ApprovalRow, Observed, OpRow, RunRow } from './servers/observed.ts';

const [made] = makeJobs('stamped', 1, () => 0.5);
const job: Job = { ...(made as Job), reading: 'events' };
const run: RunRow = {
  ...{ runId: 'R', rootId: 'R', status: 'completed', key: job.name, error: null },
  ...{ createdMs: 10_000, endedMs: 20_000 },
};
const op: OpRow = {
  ...{ runId: 'R', seq: 1, kind: 'call', name: 'stamp', state: 'done', ord: 3, ok: true },
  ...{ job: job.name, n: 1, serials: [] },
};
const approval: ApprovalRow = {
  ...{ approvalId: 'A', rootId: 'R', status: 'approved', tool: 'stamp', job: job.name, n: 1 },
  ...{ requestedMs: 11_000, decidedMs: 12_000 },
};
const end: ClientEnd = {
  ...{ status: 200, body: {}, runId: 'R', ids: [1, 2, 3], repeated: 0, asked: 1, told: [] },
};

/** A job that stamped once, as a human allowed, with effects of each kind, in which every promise was kept. */
const kept: Observed = {
  jobs: [job],
  ends: new Map([[job.name, end]]),
  runs: [run],
  ops: [
    { ...op, kind: 'model', name: 'default', job: undefined, n: undefined, ok: undefined, serials: [7] },
    op,
    { ...op, seq: 2, name: 'create_notes' },
  ],
  approvals: [approval, { ...approval, approvalId: 'B', tool: 'refund' }],
  spend: [
    { serial: 7, estimated: false },
    { serial: 0, estimated: true },
  ],
  rows: [`${job.name} stamps 1`, `${job.name} notes 1`],
  audit: [
    { kind: 'run_started', runId: 'R' },
    { kind: 'run_finished', runId: 'R' },
    ...['A', 'B'].flatMap((approvalId) => [
      { kind: 'approval_requested', runId: 'R', approvalId },
      { kind: 'approval_decided', runId: 'R', approvalId },
    ]),
  ],
  happened: [
    { what: 'answered', job: job.name, serial: 7, tookMs: 700 },
    // Nobody was there any more to record it.
    { what: 'answered', job: job.name, serial: 8, tookMs: 600 },
    { what: 'effect', tool: 'keyed', job: job.name, n: 1, key: 'R.4' },
    { what: 'effect', tool: 'keyed', job: job.name, n: 1, key: 'R.4' },
    { what: 'effect', tool: 'once', job: job.name, n: 1, key: 'R.5' },
    { what: 'effect', tool: 'refund', job: job.name, n: 1, key: 'R.6' },
  ],
  decisions: [
    { approvalId: 'A', approve: true, status: 200 },
    { approvalId: 'B', approve: true, status: undefined },
  ],
  steps: new Map([[job.name, [1, 2, 3]]]),
  ...{ killedMs: [15_000], clocksWereSet: false, isElsewhere: false },
  complaints: [],
};

const again = (tool: string, key: string): Observed['happened'] => [
  ...kept.happened,
  { what: 'effect', tool, job: job.name, n: 1, key },
];
const failed = (code: string): Observed['runs'] => [
  { ...run, status: 'failed', error: { code, message: 'no' } },
];
const ended = (told: Partial<ClientEnd>): Observed['ends'] => new Map([[job.name, { ...end, ...told }]]);

describe('what is checked of servers that were killed', () => {
  it('finds nothing where every promise was kept', () => {
    expect(findFaults(kept)).toEqual([]);
  });

  it.each<readonly [fault: string, part: Partial<Observed>, says: RegExp]>([
    ['a run that is not there', { runs: [] }, /lost: .*has no run/],
    ['a run that nobody goes on with', { runs: [{ ...run, status: 'running' }] }, /lost: .* is running/],
    [
      'a run below one that goes on',
      { runs: [run, { ...run, runId: 'R.1', key: null, status: 'running' }] },
      /run R\.1 is running/,
    ],
    ['a run that its process ended', { runs: failed('crash_loop') }, /lost: .*crash_loop/],
    [
      'a run that ended otherwise than declared',
      { runs: failed('replay_mismatch') },
      /lost: .*replay_mismatch/,
    ],
    ['a run that waited for its models no longer', { runs: failed('unavailable') }, /lost: .*unavailable/],
    ['a client that was told nothing', { ends: new Map() }, /nobody told the client/],
    ['a client that was told a failure', { ends: ended({ status: 500 }) }, /was told 500/],
    ['a client that was told of another run', { ends: ended({ runId: 'S' }) }, /told of S/],
    ['two runs of one key', { runs: [run, { ...run, runId: 'S', rootId: 'S' }] }, /has two runs/],
    ['a keyed effect under two keys', { happened: again('keyed', 'R.9') }, /twice: keyed/],
    [
      'an effect without a key',
      { happened: [...kept.happened, { what: 'effect', tool: 'sign', job: job.name, n: 1, key: null }] },
      /no key: sign/,
    ],
    ['an effect that happens once, twice', { happened: again('once', 'R.5') }, /twice: once .* 2 times/],
    ['a gated effect twice for one yes', { happened: again('refund', 'R.6') }, /twice: refund .* 2 times/],
    ['a gated effect that nobody asked about', { happened: again('gift', 'R.8') }, /ungated: gift/],
    [
      'a gated row that nobody allowed',
      {
        approvals: [
          { ...approval, status: 'expired' },
          { ...approval, approvalId: 'B', tool: 'refund' },
        ],
      },
      /ungated: stamp/,
    ],
    [
      'a gated effect in spite of a no',
      { approvals: [approval, { ...approval, approvalId: 'B', tool: 'refund', status: 'denied' }] },
      /ungated: refund/,
    ],
    ['an approval that no human gave', { decisions: [] }, /nobody approved A/],
    [
      'an approval that is left over',
      { approvals: [...kept.approvals, { ...approval, approvalId: 'C', status: 'pending' }] },
      /C of R is still pending/,
    ],
    [
      'a row that was written twice',
      { rows: [...kept.rows, `${job.name} notes 1`] },
      /notes 1 is there 2 times/,
    ],
    [
      'a row that a server took, and lost',
      { isElsewhere: true, rows: [`${job.name} stamps 1`] },
      /notes 1 is missing/,
    ],
    ['a row that is missing', { rows: [`${job.name} stamps 1`] }, /notes 1 is missing/],
    [
      'a row that no step knows',
      { rows: [...kept.rows, `${job.name} notes 2`] },
      /notes 2 is there, and no step/,
    ],
    [
      'an answer that is not in the ledger',
      { spend: [kept.spend[1] as never, { serial: 0, estimated: true }] },
      /answer 7 was given/,
    ],
    [
      'an answer that is in the ledger twice',
      { spend: [...kept.spend, kept.spend[0] as never] },
      /in it twice/,
    ],
    [
      'a row of the ledger that nobody was paid for',
      { spend: [...kept.spend, { serial: 9, estimated: false }] },
      /nobody gave answer 9/,
    ],
    [
      'an answer that was cut off, and is not estimated',
      { spend: kept.spend.slice(0, 1) },
      /1 answers were paid for nobody/,
    ],
    ['a start that is not in the audit log', { audit: kept.audit.slice(1) }, /no run_started R/],
    [
      'an end that is not in the audit log',
      { audit: kept.audit.filter(({ kind }) => kind !== 'run_finished') },
      /no run_finished R/,
    ],
    ['a decision that is not in the audit log', { audit: kept.audit.slice(0, -1) }, /no approval_decided B/],
    [
      'a question that is not in the audit log',
      { audit: kept.audit.filter(({ kind }) => kind !== 'approval_requested') },
      /no approval_requested A/,
    ],
    ['a step that its reader was not told', { ends: ended({ ids: [1, 3] }) }, /missed 2/],
    ['a step that its reader was told again', { ends: ended({ repeated: 1 }) }, /told 1 again/],
    ['a server that complains', { complaints: ['TypeError: no'] }, /complained: TypeError/],
  ])('finds %s', (_, part, says) => {
    const faults = findFaults({ ...kept, ...part });
    expect(faults.filter((fault) => says.test(fault))).not.toEqual([]);
  });

  it('allows what is promised: the last moment of the audit log, and calls that took no time', () => {
    const soon = kept.happened.map((one) => (one.what === 'answered' ? { ...one, tookMs: 599 } : one));
    expect(findFaults({ ...kept, happened: soon, spend: kept.spend.slice(0, 1) })).toEqual([]);
    const silent = { ...kept, audit: kept.audit.slice(1) };
    expect(findFaults({ ...silent, killedMs: [10_050] })).toEqual([]);
    expect(findFaults({ ...silent, killedMs: [9_999, 13_001] })).not.toEqual([]);
    expect(findFaults({ ...silent, clocksWereSet: true })).toEqual([]);
  });
});
