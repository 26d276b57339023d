import type { CallOptions, JsonObject, Operation } from '@waymark/client-gen/runtime';

/** Who a request comes from. */
export interface SessionRecord {
  readonly id: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
  /** Epoch milliseconds; null where it does not end. */
  readonly expires_at_ms: number | null;
}

/**
 * Where browsers sign in and out. No generated client has these routes: programs have a key, and no use for a cookie. They
 * are called through its runtime all the same.
 */
export interface SessionDoors {
  tell(input?: JsonObject, options?: CallOptions): Promise<SessionRecord>;
  open(input: { readonly credential: string }, options?: CallOptions): Promise<SessionRecord>;
  close(input?: JsonObject, options?: CallOptions): Promise<void>;
}

const timeoutMs = 15_000;

/** Makes them from what makes the methods of a client. */
export function connectSession(
  call: <I, O>(operation: Operation) => (input?: I, options?: CallOptions) => Promise<O>,
): SessionDoors {
  return {
    tell: call({ method: 'GET', path: '/session', json: true, retry: true, timeoutMs }),
    open: call({ method: 'POST', path: '/session', members: true, json: true, timeoutMs }),
    close: call({ method: 'DELETE', path: '/session', timeoutMs }),
  };
}
