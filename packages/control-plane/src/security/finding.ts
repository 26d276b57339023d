import { type Finding, nearest } from '@waymark/contract/declaring';

/** An unsafe choice, and how to settle it. */
export function warning(text: string, fix: string): Finding {
  return { severity: 'warning', text, fix };
}

/** Something worth knowing that may well be meant. */
export function note(text: string, fix: string): Finding {
  return { severity: 'info', text, fix };
}

/** ` (did you mean "tickets:read"?)`, or nothing when no name is close. */
export function suggestion(name: string, known: Iterable<string>): string {
  const close = nearest(name, known);
  return close === undefined ? '' : ` (did you mean "${close}"?)`;
}
