import { inspect } from 'node:util';
import { DeclarationError } from '@waymark/contract';
import { ListenError } from '@waymark/http';
import { explainHint } from '../explain/explain-hint.ts';
import { Failure } from './failure.ts';
import { listenAdvice, type Spelling } from './listen-advice.ts';
import { toScreenText } from './to-screen-text.ts';

/** Exit codes of the command line (decision 10.4). */
export const exitCodes = { failure: 1, usage: 2, configuration: 78 } as const;

const options: Spelling = { host: '--host ', port: '--port ' };

/**
 * Says on stderr why a command failed.
 *
 * @param spelling how this program is told where to listen; by options
 * @returns the exit code
 */
export async function printFailure(error: unknown, spelling = options): Promise<number> {
  if (error instanceof DeclarationError) {
    const hint = explainHint(error.problems.map(({ code }) => code));
    say(hint === undefined ? error.message : `${error.message}\n  more: ${hint}`);
    return exitCodes.configuration;
  }
  if (error instanceof ListenError) {
    say(await listenAdvice(error, spelling));
    return exitCodes.failure;
  }
  // With its causes: "the plugin failed to start" alone helps nobody.
  say(error instanceof Error && !(error instanceof Failure) ? inspect(error) : messageOf(error));
  return exitCodes.failure;
}

/** A server, a driver and a file may have said what is in it. */
function say(text: string): void {
  console.error(toScreenText(text));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
