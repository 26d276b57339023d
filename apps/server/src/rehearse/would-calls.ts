import { HTTPError } from '@waymark/contract';
import type { Guard } from '@waymark/contract/engine';
import { holds } from '@waymark/contract/principal';
import type { WouldCall } from './rehearsal.ts';

/** What a model reads in place of the result of a tool. */
const refusal = 'this is a dry run: the tool was not called';

/** Keeps every call from being made but those of watchers, and remembers what they would have been. */
export class WouldCalls {
  #calls: WouldCall[] = [];

  /** Before scopes and gate: nobody is asked, and a tool that lacks a scope is told apart here. */
  readonly guard: Guard = ({ via, route, input, principal }) => {
    if (via === 'watcher') return undefined;
    const gated = route.approval === 'required';
    this.#calls.push({
      tool: route.name,
      arguments: input.by === 'arguments' ? input.values : null,
      would: holds(principal, route.scopes) ? (gated ? 'ask' : 'call') : 'refuse',
    });
    return new HTTPError(409, refusal, { code: 'dry_run' });
  };

  /** Those since it was asked last. */
  take(): readonly WouldCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }
}
