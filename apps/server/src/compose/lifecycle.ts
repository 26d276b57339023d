import type { Log } from '@waymark/contract/engine';

/** What changes while an application runs, as its own listings read it. */
export interface Lifecycle {
  draining: boolean;
  /** Takes the log lines of what is composed; there is none before the application runs. */
  log?: Log;
}
