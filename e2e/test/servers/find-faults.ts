import type { Job } from './jobs.ts';
import type { Observed, RunRow } from './observed.ts';
import type { Arrival } from './outside.ts';

/** Tools that a human has to allow, each time or once. */
const gated = new Set(['refund', 'sign', 'gift']);
/** Tools that may have their effect once for each time they are called, or for each yes. */
const onceOnly = new Set(['once', 'refund', 'gift']);
/** Tools whose effect is a row of our own, with their table. */
const tables = new Map([
  ['create_notes', 'notes'],
  ['stamp', 'stamps'],
]);
/** Of the audit log, whoever is killed loses 100 ms; a busy machine is given more. */
const lostMs = 3_000;
/** Of a database elsewhere what waited for its turn is lost, too. */
const lostElsewhereMs = 15_000;
/** A call that takes longer than 25 ms is noted before its answer; a busy machine is given more. */
const notedMs = 600;
const over = new Set([
  'completed',
  'halted',
  'max_tokens',
  'step_limit',
  'budget_exhausted',
  'failed',
  'cancelled',
]);

/** Everything in what was seen that must not be. Empty: every promise was kept. */
export function findFaults(seen: Observed): readonly string[] {
  return [
    ...findLost(seen),
    ...findRepeated(seen),
    ...findUnapproved(seen),
    ...findWrongRows(seen),
    ...findWrongLedger(seen),
    ...findMissingAudit(seen),
    ...findMissedSteps(seen),
    ...seen.complaints.map((said) => `a server complained: ${said}`),
  ];
}

/** Every job has one root; that has ended as the job may end, and its client was told so. */
function findLost({ jobs, ends, runs, approvals, isElsewhere }: Observed): readonly string[] {
  const roots = runs.filter(({ runId, rootId }) => runId === rootId);
  const open = runs.filter(({ status }) => !over.has(status));
  const pending = approvals.filter(({ status }) => status === 'pending');
  const faults = jobs.flatMap((job) => {
    const [root, another] = roots.filter(({ key }) => key === job.name);
    const end = ends.get(job.name);
    if (!root) return [`lost: ${nameOf(job)} has no run; its client was told ${JSON.stringify(end)}`];
    if (another) return [`twice: ${nameOf(job)} has two runs`];
    if (!mayEndSo(job, root) && !(isElsewhere && wasRefused(root)))
      return [`lost: ${nameOf(job)} is ${root.status}: ${JSON.stringify(root.error)}`];
    if (!end) return [`lost: nobody told the client of ${nameOf(job)}, whose run is ${root.status}`];
    if (end.runId !== undefined && end.runId !== root.runId)
      return [`twice: the client of ${nameOf(job)} was told of ${end.runId}, not of ${root.runId}`];
    if (end.status >= 400 !== (root.status === 'failed' || isGone(job, root)))
      return [`lost: the client of ${nameOf(job)} was told ${end.status}, its run is ${root.status}`];
    return [];
  });
  return [
    ...faults,
    ...open.map(({ runId, status }) => `lost: run ${runId} is ${status}`),
    ...pending.map(({ approvalId, rootId }) => `approval ${approvalId} of ${rootId} is still pending`),
  ];
}

/** A behaviour that was cancelled has nothing to answer. */
function isGone({ path }: Job, { status }: RunRow): boolean {
  return status === 'cancelled' && path.startsWith('/behaviours/');
}

/** A database elsewhere was away when one of its steps needed it. */
function wasRefused({ status, error }: RunRow): boolean {
  return status === 'failed' && / failed with 503: the database /.test(error?.message ?? '');
}

function mayEndSo(job: Job, { status, error }: RunRow): boolean {
  return job.ends.includes(status) && (!error || job.codes.includes(error.code));
}

/** Keyed effects have one key each, and what is to happen once does, or once for each yes. */
function findRepeated({ happened, approvals }: Observed): readonly string[] {
  const byCall = new Map<string, readonly Arrival[]>();
  for (const one of arrivals(happened)) {
    const call = `${one.tool} ${one.job} ${one.n}`;
    byCall.set(call, [...(byCall.get(call) ?? []), one]);
  }
  return [...byCall].flatMap(([call, all]) => {
    const [{ tool, job, n }] = all as [Arrival];
    const keys = new Set(all.map(({ key }) => key));
    if (keys.has(null)) return [`no key: ${call}`];
    if (keys.size > 1) return [`twice: ${call} with the keys ${[...keys].join(', ')}`];
    const yes = approvals.filter(
      (one) => one.tool === tool && one.job === job && one.n === n && one.status === 'approved',
    ).length;
    const most = gated.has(tool) ? yes : 1;
    return onceOnly.has(tool) && all.length > Math.max(1, most)
      ? [`twice: ${call} happened ${all.length} times, and at most ${most} times it may`]
      : [];
  });
}

function arrivals(happened: Observed['happened']): readonly Arrival[] {
  return happened.flatMap((one) => (one.what === 'effect' ? [one] : []));
}

/** Behind each gated effect there is an approval, and behind each approval a human who said so. */
function findUnapproved({ happened, approvals, rows, decisions }: Observed): readonly string[] {
  const approved = approvals.filter(({ status }) => status === 'approved');
  const allowed = new Set(approved.map(({ tool, job, n }) => `${tool} ${job} ${n}`));
  const yeses = new Set(decisions.filter(({ approve }) => approve).map(({ approvalId }) => approvalId));
  const nos = new Set(decisions.filter(({ approve }) => !approve).map(({ approvalId }) => approvalId));
  const effects = [
    ...arrivals(happened)
      .filter(({ tool }) => gated.has(tool))
      .map(({ tool, job, n }) => `${tool} ${job} ${n}`),
    ...rows.flatMap((row) => {
      const [job, table, n] = row.split(' ');
      return table === 'stamps' ? [`stamp ${job} ${n}`] : [];
    }),
  ];
  return [
    ...effects.filter((effect) => !allowed.has(effect)).map((effect) => `ungated: ${effect} happened`),
    ...approved
      .filter(({ approvalId }) => !yeses.has(approvalId))
      .map(({ approvalId }) => `ungated: nobody approved ${approvalId}`),
    ...approvals
      .filter(({ approvalId, status }) => status === 'denied' && !nos.has(approvalId))
      .map(({ approvalId }) => `nobody denied ${approvalId}`),
  ];
}

/** A row is there exactly when a step says so, and when its job could not complete without it. */
/** While a database elsewhere is away a step is refused like anybody: only what a step says is there then. */
function findWrongRows({ jobs, runs, ops, rows, isElsewhere }: Observed): readonly string[] {
  const refused = new Set(ops.flatMap(({ ok, job }) => (isElsewhere && ok === false ? [job] : [])));
  const times = new Map<string, number>();
  for (const row of rows) times.set(row, (times.get(row) ?? 0) + 1);
  const completed = new Set(runs.flatMap(({ key, status }) => (key && status === 'completed' ? [key] : [])));
  const wanted = new Set([
    ...ops.flatMap(({ name, job, n, ok }) =>
      tables.has(name) && ok === true ? [`${job} ${tables.get(name)} ${n}`] : [],
    ),
    ...jobs.flatMap(({ name, rows: all }) =>
      completed.has(name) && !refused.has(name) ? all.map((row) => `${name} ${row}`) : [],
    ),
  ]);
  return [
    ...[...times].flatMap(([row, count]) => {
      if (count > 1) return [`row ${row} is there ${count} times`];
      return wanted.has(row) ? [] : [`row ${row} is there, and no step says so`];
    }),
    ...[...wanted].filter((row) => !times.has(row)).map((row) => `row ${row} is missing`),
  ];
}

/** Each answer that a step was given is in the ledger once; one that nobody was given is an estimate there. */
function findWrongLedger({ ops, spend, happened }: Observed): readonly string[] {
  const paid = new Set(happened.flatMap((one) => (one.what === 'answered' ? [one.serial] : [])));
  const exact = spend.filter(({ estimated }) => !estimated).map(({ serial }) => serial);
  const ledger = new Set(exact);
  const given = ops.flatMap(({ serials }) => serials);
  const cutOff = countCutOff({ spend, happened }, notedMs);
  const estimates = spend.length - exact.length;
  return [
    ...(ledger.size < exact.length ? ['ledger: an answer is in it twice'] : []),
    ...exact.filter((serial) => !paid.has(serial)).map((serial) => `ledger: nobody gave answer ${serial}`),
    ...given
      .filter((serial) => serial > 0 && !ledger.has(serial))
      .map((serial) => `ledger: answer ${serial} was given, and is not in it`),
    ...(estimates < cutOff
      ? [`ledger: ${cutOff} answers were paid for nobody, and ${estimates} are estimated`]
      : []),
  ];
}

/** Answers that were paid and that the ledger does not know: whoever asked had died. @param leastMs that they took */
export function countCutOff({ spend, happened }: Pick<Observed, 'spend' | 'happened'>, leastMs = 0): number {
  const ledger = new Set(spend.map(({ serial }) => serial));
  return happened.filter((one) => one.what === 'answered' && one.tookMs >= leastMs && !ledger.has(one.serial))
    .length;
}

/** What began, ended, was asked and was decided is in the audit log, but for the last moment of who was killed. */
function findMissingAudit({
  approvals,
  audit,
  killedMs,
  runs,
  clocksWereSet,
  isElsewhere,
}: Observed): readonly string[] {
  const withinMs = isElsewhere ? lostElsewhereMs : lostMs;
  const told = new Set(audit.map(({ kind, runId, approvalId }) => `${kind} ${approvalId ?? runId}`));
  const mayBeLost = (atMs: number): boolean => killedMs.some((ms) => ms >= atMs && ms - atMs < withinMs);
  const wanted = [
    ...runs
      .filter(({ runId, rootId }) => runId === rootId)
      .flatMap(({ runId, createdMs, endedMs }) => [
        { event: `run_started ${runId}`, atMs: clocksWereSet ? null : createdMs },
        { event: `run_finished ${runId}`, atMs: endedMs },
      ]),
    ...approvals.flatMap(({ approvalId, status, requestedMs, decidedMs }) => [
      { event: `approval_requested ${approvalId}`, atMs: requestedMs },
      ...(status === 'approved' || status === 'denied'
        ? [{ event: `approval_decided ${approvalId}`, atMs: decidedMs }]
        : []),
    ]),
  ];
  return wanted
    .filter(({ event, atMs }) => atMs !== null && !told.has(event) && !mayBeLost(atMs))
    .map(({ event, atMs }) => {
      const next = killedMs.find((ms) => ms >= (atMs ?? 0));
      return `audit: there is no ${event}, ${next === undefined ? 'and nobody was killed' : `${next - (atMs ?? 0)} ms before a kill`}`;
    });
}

/** Whoever reads events is told each step once, in its order, over all deaths. */
function findMissedSteps({ jobs, ends, steps }: Observed): readonly string[] {
  return jobs.flatMap((job) => {
    const end = ends.get(job.name);
    if (!end || job.reading === 'whole') return [];
    const told = new Set(end.ids);
    const missed = (steps.get(job.name) ?? []).filter((id) => !told.has(id));
    return [
      ...(missed.length > 0
        ? [`steps: the reader of ${nameOf(job)} missed ${missed.join(', ')}: ${end.told.join(' | ')}`]
        : []),
      ...(end.repeated > 0 ? [`steps: the reader of ${nameOf(job)} was told ${end.repeated} again`] : []),
    ];
  });
}

function nameOf({ name, shape }: Job): string {
  return `${name} (${shape})`;
}
