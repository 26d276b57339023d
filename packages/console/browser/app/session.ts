import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ProblemError } from '@waymark/client-gen/runtime';
import type { ControlClient } from '../client/control.ts';
import type { Credentials } from '../client/credentials.ts';

/** Who looks, as far as the console knows. */
export type SessionState =
  | { readonly at: 'checking' }
  | { readonly at: 'out'; readonly why?: string }
  | {
      readonly at: 'in';
      /** Undefined where the service did not say. */
      readonly name: string | undefined;
      /** Whether it holds `svc:admin`. */
      readonly admin: boolean;
    };

/** Who is signed in. */
export class Session {
  readonly #state: Signal<SessionState> = signal({ at: 'checking' });
  readonly #control: ControlClient;
  readonly #credentials: Credentials;

  constructor(control: ControlClient, credentials: Credentials) {
    this.#control = control;
    this.#credentials = credentials;
  }

  get state(): ReadonlySignal<SessionState> {
    return this.#state;
  }

  /** Whether everything may be shown. */
  get isAdmin(): boolean {
    const state = this.#state.value;
    return state.at === 'in' && state.admin;
  }

  /** Looks whether anybody is signed in already, or nobody has to be. */
  async begin(): Promise<void> {
    this.#state.value = await this.#look();
  }

  /** @returns what is wrong with the key, in a sentence */
  async signIn(key: string): Promise<string | undefined> {
    this.#credentials.set(key);
    const state = await this.#look();
    if (state.at === 'in') {
      this.#state.value = state;
      return undefined;
    }
    this.#credentials.set(undefined);
    return (state.at === 'out' && state.why) || 'This key is not one that the service knows.';
  }

  async signOut(): Promise<void> {
    this.#credentials.set(undefined);
    this.#state.value = { at: 'out' };
  }

  /** The service knows the caller no longer. */
  expired(): void {
    if (this.#state.value.at !== 'in') return;
    this.#credentials.set(undefined);
    this.#state.value = { at: 'out', why: 'Your session has ended. Sign in to go on where you were.' };
  }

  async #look(): Promise<SessionState> {
    try {
      await this.#control.approvals.list({ limit: 1 });
      return { at: 'in', name: undefined, admin: true };
    } catch (error) {
      if (!(error instanceof ProblemError))
        return { at: 'out', why: 'The service does not answer. It is tried again when you sign in.' };
      if (error.status === 401) return { at: 'out' };
      if (
        error.status === 403 &&
        error.detail.includes('svc:admin') &&
        !error.detail.includes('this machine')
      )
        return { at: 'in', name: undefined, admin: false };
      return { at: 'out', why: error.detail };
    }
  }
}
