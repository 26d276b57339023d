import type { JsonObject } from '@waymark/client-gen/runtime';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { Failure } from '../../design/failure.tsx';
import { ValueView } from '../../design/value-view.tsx';
import { toDuration } from '../../design/words.ts';
import { InputForm } from '../../form/input-form.tsx';
import type { KnownRoute } from './surfaces.ts';
import { type CallPlan, toCallPlan } from './to-call.ts';

/** What came of a call, and how long that took. */
type Outcome = { readonly tookMs: number } & (
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: unknown }
);

/** Calls a route from here, as the one who is signed in. */
export function CallForm({ known }: { readonly known: KnownRoute }): VNode {
  const { route, operation, document } = known;
  const plan = useMemo(
    () => (operation ? toCallPlan(route, operation, document) : 'It is no call: a socket, or left out.'),
    [route, operation, document],
  );
  return (
    <section class="card stack call" aria-label="Call it">
      <h2>Call it</h2>
      {typeof plan === 'string' ? <p class="soft">{plan}</p> : <PlannedCall plan={plan} />}
    </section>
  );
}

function PlannedCall({ plan }: { readonly plan: CallPlan }): VNode {
  const { service } = useApp();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const send = async (input: JsonObject): Promise<void> => {
    setBusy(true);
    const beganMs = performance.now();
    try {
      const answer = await service.call<JsonObject, unknown>(plan.operation)(input);
      setOutcome({ tookMs: performance.now() - beganMs, ok: true, answer });
    } catch (error) {
      setOutcome({ tookMs: performance.now() - beganMs, ok: false, error });
    }
    setBusy(false);
  };
  return (
    <>
      <p class="small soft">It is a real call, with your scopes, and stands in the audit.</p>
      <InputForm schema={plan.schema} busy={busy} verb="Call" send={(input) => void send(input)} />
      {/* It stays in the page, so that what comes is read out. */}
      <div class="stack" role="status">
        {outcome && <OutcomeView outcome={outcome} />}
      </div>
    </>
  );
}

function OutcomeView({ outcome }: { readonly outcome: Outcome }): VNode {
  if (!outcome.ok) return <Failure title="It was refused" error={outcome.error} />;
  const { answer, tookMs } = outcome;
  return (
    <>
      <h3>
        Answered <span class="soft">in {toDuration(tookMs)}</span>
      </h3>
      {answer === undefined ? (
        <p class="soft">Without a body.</p>
      ) : answer instanceof Uint8Array ? (
        <p class="soft">{answer.length} bytes that are no text.</p>
      ) : (
        <ValueView value={answer} what="the answer" first="json" />
      )}
    </>
  );
}
