import type { Simulator } from '../src/index.ts';

/** What came back: `json` is null for a stream, `events` are what it carried. */
export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests read members of both formats
  readonly json: any;
  /** Names and data of the events; the data as text when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests read members of both formats
  readonly events: readonly { readonly name: string; readonly data: any }[];
}

type Body = Readonly<Record<string, unknown>>;

/** A Chat Completions request; a text is the one message of the user. */
export function chat(
  simulator: Simulator,
  content: unknown,
  more: Body = {},
  headers: Record<string, string> = {},
) {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more };
  return ask(`${simulator.url}/v1/chat/completions`, body, { authorization: 'Bearer key', ...headers });
}

/** A Messages request; a text is the one message of the user. */
export function message(
  simulator: Simulator,
  content: unknown,
  more: Body = {},
  headers: Record<string, string> = {},
) {
  const body = { model: 'claude-opus-5', max_tokens: 1000, messages: [{ role: 'user', content }], ...more };
  const classic = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
  return ask(`${simulator.url}/v1/messages`, body, { ...classic, ...headers });
}

/** Sends a body and reads the whole answer. */
export async function ask(url: string, body: unknown, headers: Record<string, string>): Promise<Asked> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isStream ? null : parsed(text),
    events: isStream ? eventsOf(text) : [],
  };
}

/** The text of a reply in either format. */
export function textOf({ json }: Asked): string {
  if (Array.isArray(json?.content))
    return json.content.map((block: { text?: string }) => block.text ?? '').join('');
  return json?.choices?.[0]?.message?.content ?? '';
}

/** A tool for both formats: `{ tools: [openai(tool)] }`, `{ tools: [anthropic(tool)] }`. */
export interface TestTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
}

/** The tools of a Chat Completions request. */
export function openaiTools(...tools: readonly TestTool[]) {
  return tools.map(({ parameters = { type: 'object', properties: {} }, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters },
  }));
}

/** The tools of a Messages request. */
export function anthropicTools(...tools: readonly TestTool[]) {
  return tools.map(({ parameters = { type: 'object', properties: {} }, ...tool }) => ({
    ...tool,
    input_schema: parameters,
  }));
}

/** A tool that takes a number. */
export const getTicket: TestTool = {
  name: 'get_ticket',
  description: 'Reads one ticket of the support desk.',
  parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
};

/** A PNG of one pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';

function eventsOf(text: string) {
  return text
    .split(/\r?\n\r?\n/)
    .filter((event) => event !== '' && !event.startsWith(':'))
    .map((event) => ({
      name: /^event: (.*?)\r?$/m.exec(event)?.[1] ?? '',
      data: parsed(/^data: (.*?)\r?$/m.exec(event)?.[1] ?? ''),
    }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
