import { inspect } from 'node:util';
import { DeclarationError } from '@waymark/contract';

/** Exit codes of the command line (decision 10.4). */
export const exitCodes = { failure: 1, usage: 2, configuration: 78 } as const;

/** Says on stderr why a server did not start. @returns the exit code */
export function printFailure(error: unknown): number {
  if (error instanceof DeclarationError) {
    console.error(error.message);
    return exitCodes.configuration;
  }
  // With its causes: "the plugin failed to start" alone helps nobody.
  console.error(error instanceof Error ? inspect(error) : String(error));
  return exitCodes.failure;
}
