import type { WireFormat } from '../wire/wire-format.ts';
import type { Attempt } from './attempt.ts';

/** A written request. */
export interface WrittenRequest {
  readonly attempt: Attempt;
  readonly format: WireFormat;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Taken out of all that the provider says; empty without one. */
  readonly key: string;
  readonly body: string;
  readonly stream: boolean;
  /** Called when the first piece of a streamed text is there. */
  readonly onFirst: () => void;
}
