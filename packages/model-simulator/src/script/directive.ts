import type { JsonObject } from '../json.ts';
import type { Quirk } from '../quirks.ts';

/** One `[[…]]` of a script. */
export type Directive = Part | Failure | Setting;

/** Something that the model says or does in one turn. */
export type Part =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly calls: readonly ScriptedCall[] }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'echo'; readonly of: EchoSubject }
  | { readonly kind: 'images' }
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'block'; readonly value: JsonObject }
  | { readonly kind: 'refuse'; readonly text: string }
  | { readonly kind: 'pause'; readonly text: string }
  | { readonly kind: 'stop'; readonly cause: 'length' | 'content_filter' | 'context_window' }
  | { readonly kind: 'auto' };

/** A call of a tool as a script has it. */
export interface ScriptedCall {
  readonly name: string;
  /** A text is sent as it is, where the arguments belong. */
  readonly arguments: JsonObject | string;
}

/** What of the request `[[echo …]]` gives back. */
export type EchoSubject = 'all' | 'system' | 'tools' | 'messages' | 'results' | 'parameters';

/** Something that goes wrong before a turn, for the first `times` attempts at it. */
export type Failure = { readonly times: number } & (
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly type: string | undefined;
      readonly code: string | undefined;
      readonly message: string | undefined;
      readonly headers: Readonly<Record<string, string>>;
      /** Events of a stream that come before the error; null is an answer with the status of the error. */
      readonly after: number | null;
    }
  | { readonly kind: 'hang'; readonly after: number | null }
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'malformed'; readonly form: 'json' | 'html' | 'empty' | 'shape' }
);

/** Something that holds for every request of a script. */
export type Setting =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'pace'; readonly ms: number }
  | { readonly kind: 'usage'; readonly usage: UsageSetting }
  | { readonly kind: 'quirk'; readonly quirks: readonly Quirk[] }
  | { readonly kind: 'window'; readonly tokens: number }
  | { readonly kind: 'repeat' };

/** How `[[usage …]]` changes what a reply is said to cost; numbers replace those that were counted. */
export interface UsageSetting {
  readonly form: 'counted' | 'none' | 'null' | 'odd';
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly thinking?: number;
}
