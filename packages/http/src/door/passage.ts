import type { Budget, Dispatcher, Log, TurnLanes } from '@waymark/contract/engine';
import type { ToProblemPage } from '@waymark/contract/http';
import type { Places } from '../limits/places.ts';
import type { Policies } from '../security/policies.ts';
import type { SessionUses } from '../session/session-uses.ts';
import type { Entrance } from './entrance.ts';

/** What requests and upgrades need alike. */
export interface Passage {
  readonly dispatcher: Dispatcher;
  readonly entrance: Entrance;
  readonly policies: Policies;
  readonly newId: () => string;
  readonly log: Log | undefined;
  readonly lanes: TurnLanes;
  /** Bytes of bodies and of unfinished messages. */
  readonly inFlight: Budget;
  readonly places: Places;
  /** Counts an answer; without milliseconds it was a stream. */
  readonly answered: (status: number, ms: number | undefined) => void;
  /** What a 401 asks for. */
  readonly challenge: string;
  readonly sessionUses: SessionUses;
  readonly problemPage: ToProblemPage | undefined;
}
