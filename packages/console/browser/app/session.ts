import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ProblemError } from '@waymark/client-gen/runtime';
import type { ControlClient } from '../client/control.ts';
import type { SessionDoors, SessionRecord } from '../client/session-doors.ts';

/** Who looks, as far as the console knows. */
export type SessionState =
  | { readonly at: 'checking' }
  | { readonly at: 'out'; readonly why?: string }
  | {
      readonly at: 'in';
      readonly name: string;
      /** Whether it holds `svc:admin`. */
      readonly admin: boolean;
      /** Without authentication nobody signs in or out. */
      readonly open: boolean;
    };

const adminScope = 'svc:admin';

/** Who is signed in: a cookie of the service, of which only its holder is known here. */
export class Session {
  readonly #state: Signal<SessionState> = signal({ at: 'checking' });
  readonly #doors: SessionDoors;
  readonly #control: ControlClient;
  #doubted = false;

  constructor(doors: SessionDoors, control: ControlClient) {
    this.#doors = doors;
    this.#control = control;
  }

  get state(): ReadonlySignal<SessionState> {
    return this.#state;
  }

  /** Whether everything may be shown. */
  get isAdmin(): boolean {
    const state = this.#state.value;
    return state.at === 'in' && state.admin;
  }

  /**
   * Looks whether anybody is signed in already, or nobody has to be.
   *
   * @param code of a link that signs in, once
   */
  async begin(code?: string): Promise<void> {
    const refused = code === undefined ? undefined : await this.signIn(code);
    if (this.#state.value.at === 'in') return;
    const state = await this.#look();
    const why =
      'The link that brought you here has been used, or is too old: it holds once, for a minute. Press o in the terminal of the service for another one, or sign in with a key.';
    this.#state.value = state.at === 'out' && refused !== undefined ? { at: 'out', why } : state;
  }

  /** @returns what is wrong with the credential, in a sentence */
  async signIn(credential: string): Promise<string | undefined> {
    try {
      this.#state.value = toState(await this.#doors.open({ credential }));
      return undefined;
    } catch (error) {
      if (!(error instanceof ProblemError)) return 'The service does not answer. Try it again in a moment.';
      return error.status === 401 ? 'This key is not one that the service knows.' : error.detail;
    }
  }

  async signOut(): Promise<void> {
    try {
      await this.#doors.close();
      this.#state.value = { at: 'out' };
    } catch {
      // A session that could not be ended must not look as if it were.
      await this.begin();
    }
  }

  /** Something was refused as if nobody were signed in: looks whether that is so. */
  async doubt(): Promise<void> {
    if (this.#state.value.at !== 'in' || this.#doubted) return;
    this.#doubted = true;
    const isKnown = await this.#doors.tell().then(
      ({ authenticated, scopes }) => authenticated || scopes.includes(adminScope),
      // Nobody says that it is over.
      () => true,
    );
    this.#doubted = false;
    if (isKnown) return;
    this.#state.value = { at: 'out', why: 'Your session has ended. Sign in to go on where you were.' };
  }

  async #look(): Promise<SessionState> {
    try {
      const record = await this.#doors.tell();
      return record.authenticated || record.scopes.includes(adminScope) ? toState(record) : { at: 'out' };
    } catch (error) {
      if (!(error instanceof ProblemError))
        return { at: 'out', why: 'The service does not answer. It is asked again when you sign in.' };
      return error.status === 404 ? this.#lookWithoutSessions() : { at: 'out', why: error.detail };
    }
  }

  /** Without authentication the control plane answers this machine, and nobody else. */
  async #lookWithoutSessions(): Promise<SessionState> {
    try {
      await this.#control.approvals.list({ limit: 1 });
      return { at: 'in', name: 'this machine', admin: true, open: true };
    } catch (error) {
      return error instanceof ProblemError ? { at: 'out', why: error.detail } : { at: 'out' };
    }
  }
}

function toState({ id, scopes }: SessionRecord): SessionState {
  return { at: 'in', name: id, admin: scopes.includes(adminScope), open: false };
}
