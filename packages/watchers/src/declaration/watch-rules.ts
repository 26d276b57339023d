import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of watcher declarations, by the `code` that a problem carries. */
export const watchRules = {
  'watch-name': 'The name of a watcher is a letter and up to 53 letters, digits, "_" or "-" after it.',
  'watch-taken': 'A watcher is declared once.',
  'watch-incomplete': 'A watcher names its device and its agent.',
  'watch-range': 'The limits of a watcher are numbers within their ranges.',
  'watch-device': 'The device of a watcher is one that there is.',
  'watch-agent': 'The agent of a watcher is one that there is.',
  'watch-images': 'The agent that watches a camera takes images.',
  'watch-input': 'The prompt of a watcher is no longer than its agent takes.',
  'watch-scopes': 'A watcher has the scopes that starting its agent needs.',
  'watch-ceiling': 'A watcher that looks more often than it may run its agent will miss changes.',
  'watch-webhook':
    'The webhook of a watcher is an http or https URL, and its secrets are in variables that are set.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type WatchFault = Fault<keyof typeof watchRules>;

/** A broken rule in one line. */
export function fault(code: WatchFault['code'], rule: string, fix: string): WatchFault {
  return { code, rule, fix };
}
