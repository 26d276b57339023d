import type { Failure, Fault } from './failing-origin.ts';

/** The ways in which a service asks others: for keys of tokens, of proxies, models, webhooks and cameras. */
export const lineKinds = ['issuer', 'upstream', 'model', 'webhook', 'camera'] as const;

/** What a desk knows of one. */
export interface LineFacts {
  readonly kind: (typeof lineKinds)[number];
  readonly name: string;
  readonly url: string;
}

/** One way to ask others, and which of its requests fails. */
export interface LinePlan extends Fault {
  readonly kind: LineFacts['kind'];
  readonly name: string;
}

/** Requests that a play of each kind makes where nothing fails. */
export const callsOf: Readonly<Record<LineFacts['kind'], number>> = {
  issuer: 2,
  upstream: 4,
  model: 2,
  webhook: 3,
  camera: 3,
};

/** Failures that are played at one server: of no kind more fail at once than health names. */
export const groups: readonly (readonly Failure[])[] = [
  ['refused', 'silence'],
  ['reset', '500'],
  ['junk', 'nonsense'],
];

/** Some failures of every request, and of each kind one line that does not fail. */
export function everyLine(failures: readonly Failure[]): readonly LinePlan[] {
  return lineKinds.flatMap((kind) => [
    planOf(kind, { failure: 'silence', nth: 0 }),
    ...failures
      .filter((failure) => fits(kind, failure))
      .flatMap((failure) =>
        Array.from({ length: callsOf[kind] }, (_, i) => planOf(kind, { failure, nth: i + 1 })),
      ),
  ]);
}

/** How long a service waits for each kind before it calls that silence a failure. */
const patienceMs: Readonly<Record<LineFacts['kind'], number>> = {
  ...{ issuer: 5_000, upstream: 2_000, model: 0, webhook: 20_000, camera: 10_000 },
};

/**
 * Within which health is to name a line after its origin has failed; undefined where that is made up for at once: metadata
 * of an issuer have several places, and the answer of a receiver is empty, thus whole before it breaks off.
 */
export function toldWithinMs({ kind, failure, nth }: LinePlan): number | undefined {
  const hasOther = kind === 'issuer' && nth === 1 && (failure === '500' || failure === 'nonsense');
  if (nth === 0 || hasOther || (kind === 'webhook' && failure === 'reset')) return undefined;
  return 5_000 + (failure === 'silence' ? patienceMs[kind] : 0);
}

/** What an upstream or a receiver says is theirs to say; and a model has five minutes to begin its answer. */
function fits(kind: LineFacts['kind'], failure: Fault['failure']): boolean {
  if (failure === 'nonsense') return kind === 'issuer' || kind === 'model' || kind === 'camera';
  return failure !== 'silence' || kind !== 'model';
}

function planOf(kind: LineFacts['kind'], fault: Fault): LinePlan {
  const name = fault.nth === 0 ? `${kind}-well` : `${kind}-${fault.failure}-${fault.nth}`;
  return { kind, name, ...fault };
}
