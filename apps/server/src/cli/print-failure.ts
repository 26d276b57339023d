import { inspect } from 'node:util';
import { DeclarationError } from '@waymark/contract';
import { Failure } from './failure.ts';

/** Exit codes of the command line (decision 10.4). */
export const exitCodes = { failure: 1, usage: 2, configuration: 78 } as const;

/** Says on stderr why a command failed. @returns the exit code */
export function printFailure(error: unknown): number {
  if (error instanceof DeclarationError) {
    console.error(error.message);
    return exitCodes.configuration;
  }
  // With its causes: "the plugin failed to start" alone helps nobody.
  console.error(error instanceof Error && !(error instanceof Failure) ? inspect(error) : messageOf(error));
  return exitCodes.failure;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
