import type { ModelRequest, Spend } from '@waymark/contract/models';
import type { Target } from '../catalog/catalog.ts';
import type { Adaptation } from '../wire/adaptations.ts';
import type { CleanReply } from '../wire/normalise-reply.ts';
import type { Failure } from './failure.ts';

/** One request to one model. */
export interface Attempt {
  readonly request: ModelRequest;
  readonly target: Target;
  readonly adaptations: ReadonlySet<Adaptation>;
  readonly signal: AbortSignal;
  readonly onDelta: ((text: string) => void) | undefined;
}

/** What came of an attempt; `spend` is there when it was answered, or began to be. */
export type Outcome = { readonly spend: Spend | undefined } & (
  | { readonly ok: true; readonly reply: CleanReply; readonly requestId: string | undefined }
  | { readonly ok: false; readonly failure: Failure }
);
