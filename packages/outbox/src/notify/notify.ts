import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** What somebody can be told of. */
export const notifyEvents = [
  'approval_requested',
  'run_finished',
  'device_status',
  'watcher_limited',
] as const;

/** What somebody is told of: a word of `notifyEvents`. */
export type NotifyEvent = (typeof notifyEvents)[number];

/** Options of `notify`. */
export interface NotifyOptions {
  /** What is told, one or more. */
  readonly events: readonly NotifyEvent[];
  /** Name of the variable with the signing secrets, newest first; default: messages are not signed. */
  readonly secretEnv?: string;
  /** Name of the variable with a bearer token; default: none is sent. */
  readonly bearerEnv?: string;
  /** How listings call it; the host of the URL. */
  readonly name?: string;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** A declared `notify`. Its URL may hold a secret, and is shown nowhere. */
export type NotifyDeclaration = Declaration<
  'notify',
  { readonly url: string; readonly given: Omit<NotifyOptions, 'declaredAt'> }
>;

/** Declares who is told of events by webhook. @param url takes each message as a POST */
export function notify(url: string, options: NotifyOptions): NotifyDeclaration {
  const { declaredAt = callSite(notify), ...given } = isOptions(options) ? options : { events: [] };
  return {
    kind: 'notify',
    name: given.name ?? hostOf(url) ?? '',
    options: { url, given: isOptions(options) ? given : options },
    declaredAt,
  };
}

/** Host and port of a URL, which listings may show; undefined for what is no URL. */
export function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;
}
