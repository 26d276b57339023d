import { HTTPError } from '@waymark/contract';

/** The process stopped between an effect that must not be repeated and its record. */
export function outcomeUnknown(tool: string): HTTPError {
  return new HTTPError(
    502,
    `the process stopped while ${tool} was running; it may or may not have happened`,
    {
      code: 'outcome_unknown',
    },
  );
}
