import type { CallToolResult, OAuthClientProvider } from '@modelcontextprotocol/client';

/** How a client is let in: by a key in a header of ours or as a bearer, or by the tokens of whoever signed in. */
export type Access =
  | { readonly key: string }
  | { readonly bearer: string }
  | { readonly authProvider: OAuthClientProvider };

/** What a tool answered, in what the clients have in common. */
export interface PeerAnswer {
  readonly failed: boolean;
  /** All texts, as lines. */
  readonly text: string;
  /** Base64, without the media types. */
  readonly images: readonly string[];
}

/** A client that is connected. */
export interface PeerSession {
  /** The names of the tools that it offers, in its order. */
  tools(): Promise<readonly string[]>;
  call(tool: string, values?: Record<string, unknown>): Promise<PeerAnswer>;
  close(): Promise<void>;
}

/** A client that somebody else wrote. @throws what it throws when it is not let in */
export type Connect = (url: URL, access: Access) => Promise<PeerSession>;

/** The options of a transport of the official clients, and of whoever builds on them. */
export function transportOptions(access: Access): {
  readonly requestInit?: RequestInit;
  readonly authProvider?: OAuthClientProvider;
} {
  if ('key' in access) return { requestInit: { headers: { 'x-api-key': access.key } } };
  if ('bearer' in access) return { requestInit: { headers: { authorization: `Bearer ${access.bearer}` } } };
  return access;
}

/** Reads a result as the protocol has it. */
export function toAnswer({
  content,
  isError = false,
}: Pick<CallToolResult, 'content' | 'isError'>): PeerAnswer {
  return {
    failed: isError,
    text: content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n'),
    images: content.flatMap((item) => (item.type === 'image' ? [item.data] : [])),
  };
}
