import type { Log, Trouble } from '@waymark/contract/engine';
import type { Sessions } from '@waymark/contract/principal';
import type { TrafficCount } from '@waymark/http';

/** What changes while an application runs, as its own listings read it. */
export interface Lifecycle {
  draining: boolean;
  /** A failure that nobody handled ends the process. */
  failed: boolean;
  /** Takes the log lines of what is composed; there is none before the application runs. */
  log?: Log;
  /** How the server is that runs. */
  condition?: Condition;
  /** Those that its credentials open; none without authentication. */
  sessions?: Sessions | undefined;
}

/** What health tells of a server besides its counts. */
export interface Condition {
  troubles(): readonly Trouble[];
  eventLoopP99Ms(): number;
  traffic(windowMs: number): TrafficCount;
}
