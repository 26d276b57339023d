import { HTTPError } from '@waymark/contract';

/**
 * Makes the 503 for whoever waits here for a root that is executed elsewhere, or later.
 *
 * @param outage what keeps it from being stored, if that is why
 */
export function answerLater(rootId: string, outage?: HTTPError): HTTPError {
  const run = { run_id: rootId, status: 'running' };
  if (!outage) return new HTTPError(503, 'the run goes on; ask for its answer later', { run });
  const { message, headers, members } = outage;
  return new HTTPError(
    503,
    `the run goes on when it can be stored, for now ${message}; ask for its answer later`,
    {
      ...{ run, headers, ...members, cause: outage },
    },
  );
}
