import type { NoisyDesk } from './start-desk.ts';

/** What is a neighbour's, and must be there after whatever others did. */
export interface Belongings {
  /** What is gone or changed, in words. */
  missing(): Promise<readonly string[]>;
}

/** Opens a ticket, remembers something, starts a run and a conversation. */
export async function settle({ url, keys }: NoisyDesk): Promise<Belongings> {
  const send = async (method: string, path: string, value?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(20_000),
      headers: { 'x-api-key': keys.neighbour, 'content-type': 'application/json' },
      ...(value && { body: JSON.stringify(value) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const talk = (input: string, reset = false): Promise<Record<string, unknown>> =>
    send('POST', '/agents/support', { input, session_id: 'neighbour', reset });
  // Begun anew each time: what is echoed is said, too, and would double with each look.
  const converse = (): Promise<Record<string, unknown>> => talk('word-of-the-neighbour [[say Fine.]]', true);
  const ticket = await send('POST', '/tickets', { title: 'The neighbour has a question' });
  await send('POST', '/notes/remember', { key: 'neighbour', value: 'The neighbour likes quiet.' });
  const run = await converse();
  const looks: Readonly<Record<string, () => Promise<boolean>>> = {
    ticket: async () =>
      (await send('GET', `/tickets/${String(ticket['id'])}`))['title'] === 'The neighbour has a question',
    memory: async () =>
      (await send('GET', '/notes/recall/neighbour'))['value'] === 'The neighbour likes quiet.',
    run: async () =>
      (await send('GET', `/agents/support/runs/${String(run['run_id'])}`))['output'] === 'Fine.',
    conversation: async () => {
      const { output } = await talk('[[echo messages]]');
      await converse();
      return String(output).includes('word-of-the-neighbour');
    },
  };
  return {
    missing: async () => {
      const found: string[] = [];
      for (const [name, look] of Object.entries(looks)) {
        const there = await look().catch((error: unknown) => String(error));
        if (there !== true) found.push(there === false ? `the ${name} is gone` : `the ${name}: ${there}`);
      }
      return found;
    },
  };
}
