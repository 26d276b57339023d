import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ApprovalRow } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { toLine } from '../../design/json-text.ts';
import { Ago } from '../../design/time.tsx';
import { counted } from '../../design/words.ts';
import { toRefusal, toVerdict } from './decide.ts';
import { Question } from './question.tsx';

const statuses = ['pending', 'decided'] as const;
type Status = (typeof statuses)[number];
const words: Readonly<Record<Status, string>> = { pending: 'Waiting', decided: 'Decided' };
const mostShown = 500;
const everyMs = 2_000;

/** Calls that wait for a human: who asks for what, and the decision. */
export function page({ place }: PageProps): VNode {
  const { service, router } = useApp();
  const status = statuses.find((one) => one === place.query['status']) ?? 'pending';
  const polled = usePolled(
    (signal) => service.control.approvals.list({ status, limit: mostShown }, { signal }),
    { everyMs: status === 'pending' ? everyMs : 0, on: ['approval'] },
    [status],
  );
  const { underWay, decide } = useDecisions(polled.refresh);
  const all = polled.value?.approvals;
  const shown = all?.filter(({ approval_id: id }) => !underWay.has(id)) ?? [];
  const chosen = place.rest[0];
  const found = shown.findIndex(({ approval_id: id }) => id === chosen);
  // What was decided makes room for the next one.
  const at = found === -1 ? 0 : found;
  const current = shown[at];
  const go = (row: ApprovalRow | undefined): void => {
    if (row) router.go(toFragment('approvals', [row.approval_id], { status: place.query['status'] }));
  };
  useKeys([
    { keys: 'j', says: 'next question', press: () => go(shown[at + 1]) },
    { keys: 'k', says: 'question before', press: () => go(shown[at - 1]) },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Approvals</h1>
        <span class="soft" role="status">
          {all && status === 'pending' && counted(shown.length, 'waits', 'wait')}
        </span>
        <div class="more tabs" role="group" aria-label="Show approvals that are">
          {statuses.map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={one === status}
              onClick={() => router.go(toFragment('approvals', [], { status: one === 'pending' ? '' : one }))}
            >
              {words[one]}
            </button>
          ))}
        </div>
      </header>
      {polled.error !== undefined && !all && (
        <Failure title="The approvals could not be read" error={polled.error} />
      )}
      {all && current === undefined && <Nothing status={status} />}
      {current && (
        <div class="inbox" data-open={chosen !== undefined}>
          <ul class="asked" aria-label={words[status]}>
            {shown.map((row) => (
              <li key={row.approval_id}>
                <Asked row={row} current={row === current} status={place.query['status']} />
              </li>
            ))}
          </ul>
          <Question
            key={current.approval_id}
            row={current}
            open={status === 'pending'}
            decide={(approve, note) => {
              decide(current, approve, note);
              if (chosen !== undefined) go(shown[at + 1] ?? shown[at - 1]);
            }}
          />
        </div>
      )}
    </div>
  );
}

function Asked({
  row,
  current,
  status,
}: {
  readonly row: ApprovalRow;
  readonly current: boolean;
  readonly status: string | undefined;
}): VNode {
  return (
    <a
      href={toFragment('approvals', [row.approval_id], { status })}
      aria-current={current ? 'true' : undefined}
    >
      <strong class="cut">{row.tool}</strong>
      <span class="small soft">
        {row.status === 'pending' ? <Ago atMs={row.requested_at_ms} /> : <StatusBadge status={row.status} />}
      </span>
      <span class="small soft cut">
        {row.agent} for {row.caller} · {toLine(row.arguments, 60)}
      </span>
    </a>
  );
}

/** Decisions on their way: the run goes on before the service answers, and nobody waits for that here. */
function useDecisions(refresh: () => void): {
  readonly underWay: ReadonlySet<string>;
  decide(row: ApprovalRow, approve: boolean, note: string): void;
} {
  const { service, toasts, connection } = useApp();
  const [underWay, setUnderWay] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    // The next count of the navigation is that without them.
    if (underWay.size > 0) void connection.refresh();
  }, [underWay]);
  const decide = (row: ApprovalRow, approve: boolean, note: string): void => {
    const { approval_id: id } = row;
    setUnderWay((before) => new Set([...before, id]));
    service.control.approvals
      .decide({ id, approve, note })
      .then(
        (answer) => toVerdict(row, approve, answer),
        (error: unknown) => toRefusal(row, approve, error),
      )
      .then(
        ({ text, tone }) => {
          toasts.say(text, tone);
          setUnderWay((before) => new Set([...before].filter((one) => one !== id)));
          refresh();
        },
        () => {},
      );
  };
  return { underWay, decide };
}

function Nothing({ status }: { readonly status: Status }): VNode {
  if (status !== 'pending') return <Empty title="Nothing was decided yet" />;
  return (
    <Empty
      title="Nothing waits for you"
      code={"app.post('/refunds', { tool: true, approval: 'required', … }, refund);"}
    >
      A call waits here when an agent, a behaviour or a flow wants to use a tool that needs approval: ask for
      one in the <a href={toFragment('playground')}>playground</a>. This is how a route becomes such a tool:
    </Empty>
  );
}
