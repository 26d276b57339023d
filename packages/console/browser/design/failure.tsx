import { ProblemError } from '@waymark/client-gen/runtime';
import type { VNode } from 'preact';

interface FailureProps {
  readonly title: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly error?: unknown;
  readonly action?: { readonly says: string; press(): void };
}

/** What went wrong, and what to do. */
export function Failure({ title, hint, error, action }: FailureProps): VNode {
  const advice = hint ?? adviceFor(error);
  const id = error instanceof ProblemError ? error.requestId : undefined;
  return (
    <div class="failure" role="alert">
      <strong>{title}</strong>
      {error !== undefined && <p>{toSentence(error)}</p>}
      {advice !== undefined && <p>{advice}</p>}
      {id !== undefined && (
        <p class="small">
          The log of the service has more under <code>{id}</code>.
        </p>
      )}
      {action && (
        <button type="button" class="button slight" onClick={() => action.press()}>
          {action.says}
        </button>
      )}
    </div>
  );
}

/** An error as a sentence for whoever looks. */
export function toSentence(error: unknown): string {
  if (error instanceof ProblemError) return `${error.detail} (${error.status})`;
  if (error instanceof Error && error.name === 'TimeoutError') return 'The service took too long to answer.';
  if (error instanceof TypeError || (error instanceof Error && error.name === 'NetworkError'))
    return 'The service does not answer.';
  return error instanceof Error ? error.message : String(error);
}

function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  if (error.status === 403) return 'Sign in with a key that holds this scope.';
  if (error.status === 404) return 'It may have been deleted, or the address is of another service.';
  if (error.status === 429) return 'Too much was asked of the service at once: wait a moment.';
  return error.status >= 500 ? 'Try it again; if it stays, look into the log of the service.' : undefined;
}
