import type { Draft } from '../call/draft.ts';
import type { Scheme } from '../model/api.ts';
import { shellQuote } from './shell-quote.ts';

/** A call as a command line. */
export interface CurlCall {
  readonly method: string;
  /** Where the service is: `https://desk.example/api`. */
  readonly root: string;
  readonly draft: Draft;
  readonly scheme: Scheme | undefined;
  /** Asks for events. */
  readonly events: boolean;
}

/** Writes a call as a curl command, which a POSIX shell reads back exactly. The key is a variable. */
export function toCurl({ method, root, draft, scheme, events }: CurlCall): string {
  const { target, headers, body } = draft;
  const lines = [
    // Braces and brackets in addresses mean something to curl.
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[[\]{}]/.test(target) ? '-g ' : ''}${shellQuote(root + target)}`,
    ...(scheme === undefined ? [] : [`-H ${keyWord(scheme)}`]),
    ...headers.map(([name, value]) => headerWord(name, value)),
    ...(events ? [`-N -H ${shellQuote('accept: text/event-stream')}`] : []),
    ...bodyLines(body),
  ];
  return lines.join(' \\\n  ');
}

/** In double quotes, so that the shell puts the key there. */
function keyWord(scheme: Scheme): string {
  return scheme === 'bearer' ? '"authorization: Bearer $TOKEN"' : '"x-api-key: $KEY"';
}

/** A header without a value is written with a semicolon. */
function headerWord(name: string, value: string): string {
  return `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

function bodyLines(body: Draft['body']): readonly string[] {
  switch (body.kind) {
    case 'none':
      return [];
    case 'json':
      // `--data` would read a file where a text begins with `@`.
      return [
        `-H ${shellQuote('content-type: application/json')}`,
        `--data-raw ${shellQuote(JSON.stringify(body.value))}`,
      ];
    case 'file':
      return [
        `-H ${shellQuote(`content-type: ${body.type}`)}`,
        `--data-binary ${shellQuote(`@${body.name}`)}`,
      ];
  }
}
