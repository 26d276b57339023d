import { type Fault, failures } from './failing-origin.ts';

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

/** Every failure of every request, and of each kind one line that does not fail. */
export function everyLine(): readonly LinePlan[] {
  return lineKinds.flatMap((kind) => [
    planOf(kind, { failure: 'silence', nth: 0 }),
    ...failures
      .filter((failure) => fits(kind, failure))
      .flatMap((failure) =>
        Array.from({ length: callsOf[kind] }, (_, i) => planOf(kind, { failure, nth: i + 1 })),
      ),
  ]);
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
