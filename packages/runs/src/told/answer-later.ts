import { HTTPError } from '@waymark/contract';

/** Makes the 503 for whoever waits here for a root that is executed elsewhere, or later. */
export function answerLater(rootId: string): HTTPError {
  return new HTTPError(503, 'the run goes on; ask for its answer later', {
    run: { run_id: rootId, status: 'running' },
  });
}
