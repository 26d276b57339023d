import type { Dispatcher, Log } from '@waymark/contract/engine';
import type { Policies } from '../security/policies.ts';
import type { Entrance } from './entrance.ts';

/** What requests and upgrades need alike. */
export interface Passage {
  readonly dispatcher: Dispatcher;
  readonly entrance: Entrance;
  readonly policies: Policies;
  readonly newId: () => string;
  readonly log: Log | undefined;
  /** What a 401 asks for. */
  readonly challenge: string;
}
