import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions 8: ');
const runs = clauses('runs ');

/** Decision 8, runs, approvals and audit events, and what `runs.md` adds to it. */
export const decisionsRuns: readonly Requirement[] = [
  ...decision.built('contract', {
    'run.survives': 'A run outlives its process: what was recorded is not done twice.',
  }),
  ...decision.built('approvals', {
    'approval.listing.members':
      'A row says which run waits, for which call of which tool, on whose behalf, since when and until when.',
    'approval.decided-already':
      'A decision that comes too late is 409 and says to those who may decide how, by whom and when it was decided.',
    'approval.expiry.default': 'An approval expires after 24 h by default.',
    'approval.expiry.declined': 'An approval that expired counts as declined.',
    'approval.approver.scope': 'With `approver.scope` an approver needs that scope and `svc:admin`.',
    'approval.approver.four-eyes': '`fourEyes` refuses the root principal of the run as approver.',
    'approval.approver.expires': '`expiresMs` sets another expiry.',
    'approval.resume.principal': 'An approved run goes on as the principal who started it.',
  }),
  ...decision.built('extension routes', {
    'run.listing': 'Runs can be listed.',
    'run.detail': 'One run can be read with its tree, steps, tokens and cost.',
    'run.cancel': 'A run can be cancelled.',
    'run.for-caller': 'A caller can read its own run below the route that started it.',
  }),
  ...decision.built('audit', {
    'audit.members': 'An audit event has id, at_ms, kind and, if any, run_id.',
    'audit.filters': 'The audit log can be filtered and read on from a cursor.',
    'audit.kind.tool-called': '`tool_called` says via, route, principal, status and duration_ms.',
    'audit.kind.tool-refused': '`tool_refused` is a kind of audit event.',
    'audit.one-per-use':
      'Using a tool route by any door leaves one `tool_called` or one `tool_refused`, never both.',
  }),
  ...decision.built('audit', {
    'audit.kind.auth-refused': '`auth_refused` is a kind of audit event.',
    'audit.batched': 'Audit events are written in batches; at most 100 ms of them can be lost.',
    'audit.kept': 'A batch that the store refuses is kept and tried again, in order, until it is taken.',
    'audit.gap': 'Where events had to be dropped, one event `audit_gap` says how many, and of which time.',
  }),
  ...decision.built('audit', {
    'audit.kind.run-started': '`run_started` is a kind of audit event.',
    'audit.kind.run-finished': '`run_finished` says status and usage.',
    'audit.kind.approval-requested': '`approval_requested` is a kind of audit event.',
    'audit.kind.approval-decided': '`approval_decided` is a kind of audit event.',
    'audit.not-batched': 'Approvals and money are stored before they are answered, never in batches.',
  }),
  ...decision.built('audit', {
    'audit.kind.handoff': '`handoff` is a kind of audit event.',
    'audit.kind.compaction': '`compaction` is a kind of audit event.',
  }),
  ...decision.built('audit', {
    'audit.kind.budget-warning': '`budget_warning` is a kind of audit event.',
  }),
  ...decision.built('audit', {
    'audit.kind.insight': '`insight` is a kind of audit event.',
    'audit.kind.watcher-limited': '`watcher_limited` is a kind of audit event.',
  }),
  ...decision.built('audit', {
    'audit.kind.device-status': '`device_status` is a kind of audit event.',
  }),
  ...clauses('decisions 9.5: ').built('runs', {
    'run.input.transient':
      'An input that is kept in memory is written when its run waits or is given back, and never else.',
    'run.notices':
      'What is to be told of a question to a human, or of the end of a run, is stored in the same commit as that.',
    'run.memo':
      'What a caller wants to find again is stored with its root run, and found until the end of that was acknowledged.',
    'run.input.interrupted':
      'A crash before that ends the run as failed, `interrupted`: it is neither gone on with nor retried.',
  }),
  ...runs.built('7', {
    'run.authority.today':
      'A stored run does nothing that its caller, a key or anybody, may not do any more.',
  }),
  ...runs.built('7', {
    'runs.release.newer':
      'A run belongs to the newest process that took it: an older one leaves what it cannot go on with, whatever made it go.',
  }),
  ...runs.built('11', {
    'run.leg.deadline':
      'A leg that is out of time ends its run: 504 with its id and `timed out after <n> s`, and its work is given up.',
    'run.failed.status':
      'What a run failed with says its status: 504 out of time, 500 where code, caller or declaration fit no longer.',
    'run.cancel.answer':
      'Whoever waits for a run that is cancelled is told so: 200, and 409 for a behaviour.',
    'run.cancel.aborts': 'Calls under way of a run that is cancelled are aborted.',
    'run.cancel.outcome-unknown':
      'A call that had begun when its run was cancelled, and must not be repeated, stands in the journal.',
    'run.cancel.refused': 'A part of a run is not cancelled by itself, nor is one that has ended: 409.',
    'run.caller-leaves':
      'A caller that leaves does not stop its run, but for a call over MCP whose run does not wait.',
    'run.shutdown.nothing-new':
      'While its process ends a run begins no step, and none is started; steps under way may end.',
    'run.left-behind':
      'A promise that a waiting run left behind and that rejects is logged with its run, and ends no process.',
  }),
  ...runs.built('12', {
    'run.waits.http':
      'A run that waits is 202 with the place of its answer: 202 there until it is 200, and 404 to others.',
    'run.waits.stream': 'A stream tells what is asked, then the 202 as its result, and ends.',
    'run.waits.mcp': 'Over MCP a run that waits is a result, no error.',
    'run.waits.parent': 'Who called a run that waits waits too, and goes on as if no time had passed.',
    'run.waits.behaviour': 'A behaviour answers its bare value when done, and an envelope while it waits.',
    'run.decided.answer':
      'Whoever decides is answered with what comes of the outermost run, 202 when it waits again.',
    'run.anonymous': 'Callers without credentials read no run, and their idempotency keys mean nothing.',
    'session.waits': 'A turn behind one that waits is 409; `reset` cancels that first.',
  }),
  ...runs.built('13', {
    'run.steps.seq': 'Numbers of steps increase over the whole tree, and are the same after a restart.',
    'run.steps.nested': 'Steps of runs below are told with their own `run_id` and `agent`.',
    'run.steps.once': 'A step is told once, however often its run is run again.',
    'session.held': 'A session that a run holds is never given up.',
    'session.history': 'What a turn hears cannot change while it waits.',
    'session.appended': 'A turn adds its messages when it ends, and nothing when it failed or was cancelled.',
    'session.compacted': 'A summary stands in a session for what it sums up.',
  }),
  ...runs.built('14', {
    'run.values.large':
      'Large values are kept beside the journal until their run has ended, then only type and size.',
    'run.values.most': 'A tool result of more than 8 MiB is a failure of its tool.',
    'run.values.deep':
      'An answer of more than 256 levels is a failure of its tool, and a run keeps no value of more than 512.',
    'run.broken': 'What fails while a run is given a result, or while that is stored, fails this run alone.',
    'run.crash-loop.failure':
      'A process that ends by a failure that nobody handled counts as an attempt of its runs; one told to stop does not.',
    'run.kept.default': 'Runs that have ended are kept for 7 days, and 100,000 of them, by default.',
    'run.kept.bytes': 'No run is started for a caller whose runs hold as many bytes as are kept of one: 429.',
    'run.kept.bytes.default': '256 MiB are kept of one caller by default.',
    'run.kept.bytes-pruned':
      'The oldest runs of such a caller that have ended are given up, and none of another.',
    'run.kept.whole': 'Runs are deleted whole, and none that waits.',
  }),
  ...runs.built('12', {
    'run.idempotency':
      'An idempotency key starts one run for a caller and route, and is refused for another input.',
  }),
  ...runs.built('13', {
    'run.read-on':
      'No step is left out of a stream: a slow reader is told at its own pace, and reads on from its last one after a break.',
    'run.same-form': 'Whoever reads a run is told the same of it live and later: what is stored.',
  }),
  ...runs.built('11, 12', {
    'run.location':
      'A 202 or 503 of a run that goes on says where its answer will be, to callers with credentials.',
  }),
  ...runs.built('17.5', {
    'run.named-at-once': 'Whoever starts a run and listens is told which one it is before its first step.',
    'run.waiting-event': 'Whoever follows a run is told when it begins to wait, and for what.',
    'run.text-so-far': 'Whoever joins late is told what is being written, as far as it has come.',
  }),
  ...runs.built('17.1', {
    'run.ready': 'Runs are taken up and approvals expire when every part has started and callers are let in.',
    'run.host-errors': 'What the service itself could not do ends no run: it is tried again later.',
    'run.not-stored':
      'Who waits for a run that cannot be stored, since the disk is full or failing or the file is gone, is answered 503 with its id at once; the run goes on when it can be.',
  }),
  ...runs.built('17.2', {
    'run.suspects':
      'A run that may have ended its process is watched until its next step, and holds up no other.',
  }),
  ...runs.built('17.2', {
    'run.provider-waits':
      'A provider of models that is out of reach ends no run: what needs it is tried again, and waits meanwhile.',
    'run.provider-waits.answers':
      'A run that waits for a provider answers 202 `waiting_provider`, with what it waits for and until when.',
    'run.provider-waits.reasons':
      'Only what passes by itself is waited for: rate limits, outages, time-outs and quotas.',
    'run.provider-waits.pauses':
      'Pauses double from a second to a minute; a provider that asks for more is left alone for so long.',
    'run.provider-waits.give-up':
      'A provider that is out of reach for longer than `giveUpAfter` fails what needs it.',
    'run.provider-waits.branches': 'What does not need the provider goes on meanwhile.',
    'run.provider-waits.spend': 'What tries cost that failed is recorded, once.',
    'run.provider-waits.listing': 'Steps that wait for a provider are listed and counted.',
    'audit.kind.run-waiting': '`run_waiting` says which step waits for which provider, and why.',
  }),
  ...runs.built('17.3', {
    'run.retry':
      'A run that failed can be retried: it goes on from its journal, and what failed is asked again.',
    'run.retry.nested': 'What failed or was cut off below a run that is retried goes on with it.',
    'run.retry.gated': 'A gated call that failed or was declined asks a human again when its run is retried.',
    'run.retry.unknown':
      'A retry repeats no call that must not be repeated and that nobody knows the outcome of.',
    'run.retry.large': 'A run that failed keeps all that a retry needs as long as it is kept itself.',
    'run.retry.session':
      'A run that is retried takes its session again, and is refused where another holds it.',
    'run.retry.refused': 'A run that did not fail is not retried, and the answer says why.',
    'run.retry.hurried': 'A retry of a run that waits for a provider tries at once.',
    'run.fork': 'A run can be forked before a step: what came before is recorded, the rest is done anew.',
    'run.fork.approvals': 'A fork knows what was approved before, and takes none of it for a permission.',
    'run.fork.four-eyes':
      'Whoever forked or retried a run, or one that it is a fork of, is no second pair of eyes for it.',
    'run.fork.refused': 'A fork at a place that is none is refused.',
  }),
  ...runs.built('17.4', {
    'run.takeover': 'On a database file the runs of a process that was killed are taken up at once.',
  }),
  ...runs.built('9', {
    'run.retry.declared': 'Only a route that may be done twice is called again, 1 to 10 times in all.',
    'run.retry.passing':
      'A call of a run is made again after 429, 502, 503, 504 and broken answers, no others.',
    'run.retry.attempts': 'It is made as often as its route says, and only the last answer is recorded.',
    'run.retry.key': 'All attempts have the same idempotency key and the same arguments.',
    'run.retry.wait':
      'The wait doubles, and a `Retry-After` is given the time it asks for, a minute at most.',
    'run.retry.record': 'Nothing is called again once its effect was committed with its record.',
    'run.retry.ends': 'Cancel, deadline and shutdown end the wait at once; the next process does the call.',
    'run.retry.runs-only': 'A call from outside is never made again by the service.',
  }),
  ...runs.built('9', {
    'ledger.cut-off':
      'A call of a model that its process or its run did not outlive is in the ledger, once, by estimate.',
  }),
];
