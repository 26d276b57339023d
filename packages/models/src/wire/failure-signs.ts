import type { ModelFault } from '@waymark/contract/models';

/** What the body of an error says. */
export interface FailureSigns {
  /** In the provider's words: for logs, never for callers. */
  readonly message: string;
  /** What the body says more exactly than its status: a quota that is used up, a prompt that is too long. */
  readonly reason: Extract<ModelFault, 'quota' | 'context_window'> | undefined;
  /** The status an error in a stream would have had. */
  readonly status: number;
}

/** A reply turned out to be none: the provider failed after it had begun, or sent something else. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
  readonly signs: FailureSigns | undefined;

  /** @param signs what the provider said of it; undefined when it sent something that is no reply */
  constructor(message: string, signs?: FailureSigns) {
    super(message);
    this.signs = signs;
  }
}

/** Whether a text says that the conversation is too long for the model. */
export function tellsOfWindow(text: string): boolean {
  return /context.{0,20}(length|window)|prompt is too long|maximum context|too many tokens/i.test(text);
}
