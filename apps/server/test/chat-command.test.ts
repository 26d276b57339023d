import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { connectAgents } from '@waymark/client-gen/runtime';
import { startSimulator } from '@waymark/model-simulator';
import { createApplication, Type } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Chat, type ChatResult, type ChatTurn } from '../src/cli/chat/chat.ts';
import { type Lines, TypedLines } from '../src/cli/chat/lines.ts';
import { Screen } from '../src/cli/chat/screen.ts';
import { short, toStepLine } from '../src/cli/chat/step-line.ts';

const apiKey = 'operator-key-of-the-tests';

/** An application whose clerk pays with the approval of a human. */
async function served(): Promise<string> {
  const simulator = await startSimulator({ anonymous: true });
  const app = createApplication('desk', { port: 0, env: { LOG_LEVEL: 'silent', KEY: apiKey } })
    .apiKey('KEY', 'operator', { scopes: ['svc:admin', 'pay'] })
    .provider('simulator', simulator.url, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5' })
    .pricing('default', 5, 25);
  const gated = { tool: true, toolName: 'pay', scopes: ['pay'], approval: 'required' } as const;
  const input = { note: Type.Optional(Type.String()), n: Type.Optional(Type.Integer()) };
  app.post('/pay', { ...gated, input }, () => 'paid');
  app.get('/look', { tool: true, toolName: 'look' }, () => 'seen');
  app.agent('clerk', { scopes: ['pay'], tools: ['pay', 'look'], handoffs: ['boss'] });
  app.agent('boss', { scopes: ['pay'], tools: ['clerk'] });
  const running = await app.listen();
  onTestFinished(async () => {
    await running.close();
    await simulator.close();
  });
  return running.url;
}

/** What somebody types, one line after the other; a function is done in its place, and types nothing. */
type Typed = string | (() => unknown);

interface Told {
  readonly text: string;
  readonly prompts: readonly string[];
  readonly well: boolean;
  readonly decided: readonly unknown[];
}

async function talk(
  url: string,
  typed: readonly Typed[],
  { interactive = true, agent = 'clerk', json = false, refusals = 0 } = {},
): Promise<Told> {
  const written: string[] = [];
  const prompts: string[] = [];
  const decided: unknown[] = [];
  const left = [...typed];
  const socket = connectAgents({ baseUrl: url, apiKey })<ChatTurn, ChatResult>(
    `/agents/${agent}`,
    0,
  ).socket();
  const next = async (prompt: string): Promise<string | undefined> => {
    prompts.push(prompt);
    const line = left.shift();
    if (typeof line === 'string' || line === undefined) return line;
    line();
    return undefined;
  };
  const lines: Lines = { interactive, next, ask: next, close: () => {} };
  const chat: Chat = new Chat({
    ...{ socket, lines, sessionId: randomUUID(), title: 'clerk' },
    screen: new Screen({ write: (text) => written.push(text) }, false),
    async decide(id, approve, note) {
      decided.push({ approve, note });
      if (decided.length <= refusals) throw new Error('this key may not decide');
      const response = await fetch(`${url}/_svc/approvals/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ approve, note }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    ...(json && { observe: (message: unknown) => void written.push(`${JSON.stringify(message)}\n`) }),
  });
  const well = await chat.run();
  socket.close();
  return { text: written.join(''), prompts, well, decided };
}

describe('waymark chat', () => {
  it('streams what is said, shows tools as they are called, and what it took', async () => {
    const url = await served();
    const { text, prompts, well } = await talk(url, [
      '[[call look {}]] [[say It is there.]]',
      '/help',
      '/exit',
    ]);
    expect(text).toMatch(
      /^clerk\nCtrl-C .*\n {2}look \{\} → seen\nIt is there\.\n2 model calls, 1 tool call, \d+ tokens, \$0\.0\d+\nCtrl-C .*\n$/,
    );
    expect(prompts).toEqual(['> ', '> ', '> ']);
    expect(well).toBe(true);
  });

  it('shows whole what is to be approved, whatever stands in front of it', async () => {
    const url = await served();
    const note = 'refund of 3 euros as agreed on Monday, '.repeat(4);
    const paying = (given: object) => `[[call pay ${JSON.stringify(given)}]] [[say Paid.]]`;
    const long = await talk(url, [paying({ note, n: 999_999 }), 'no', '']);
    expect(long.text).toContain('… waits for a human\n');
    expect(long.text).toContain(`  {\n    "note": "${note}",\n    "n": 999999\n  }\n`);
    expect(long.decided).toHaveLength(1);
    const talking = talk(url, [paying({ note: 'x'.repeat(16_384), n: 1 })]);
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const waiting = async (): Promise<readonly { readonly approval_id: string }[]> =>
      Object(await (await fetch(`${url}/_svc/approvals`, { headers })).json()).approvals;
    await expect.poll(async () => (await waiting()).length).toBe(1);
    for (const { approval_id: id } of await waiting())
      await fetch(`${url}/_svc/approvals/${id}`, { method: 'POST', headers, body: '{"approve":false}' });
    const huge = await talking;
    expect(huge.text).toContain('its arguments are too long to be shown here; decide on ');
    expect(huge.decided).toEqual([]);
  });

  it('asks the human who waits there, and sends what was decided', async () => {
    const url = await served();
    const paying = '[[call pay {}]] [[say Paid.]]';
    const yes = await talk(url, [paying, 'yes', 'Agreed.']);
    expect(yes.prompts).toEqual(['> ', '  approve it? yes, no, or later: ', '  a note, if any: ', '> ']);
    expect(yes.text).toContain(
      '  pay {} waits for a human\n  pay was approved: Agreed.\n  pay {} → paid\nPaid.\n',
    );
    const no = await talk(url, [paying, 'n', '']);
    expect(no.decided).toEqual([{ approve: false, note: '' }]);
    expect(no.text).toContain('  pay was denied\n');
    expect(no.text).toContain('  pay {} was refused: ');
  });

  it('says when the key may not decide, and cancels where nobody will', async () => {
    const url = await served();
    const refused = talk(url, ['[[call pay {}]]', 'y', ''], { refusals: 1 });
    await expect.poll(() => pendingOf(url)).toBe(1);
    await decideFirst(url);
    expect((await refused).text).toContain('  this key may not decide\n');
    // Ctrl-C at the question.
    const cancelled = await talk(url, ['[[call pay {}]]', () => {}]);
    expect(cancelled.text).toContain('cancelling…\n  pay was withdrawn\ncancelled\n');
    expect(cancelled.well).toBe(false);
  });

  it('decides nothing when somebody breaks off at the note', async () => {
    const url = await served();
    const told = await talk(url, ['[[call pay {}]] [[say Paid.]]', 'yes', () => {}]);
    expect(told.decided).toEqual([]);
    expect(told.text).toContain('cancelling…\n  pay was withdrawn\ncancelled\n');
  });

  it('asks again about what could not be decided, when the run says that it still waits', async () => {
    const url = await served();
    const typed = [
      '[[calls pay {}, pay {}]] [[say Paid.]]',
      ...['yes', 'lost'],
      ...['yes', '2'],
      ...['no', '1'],
    ];
    const { text, decided } = await talk(url, typed, { refusals: 1 });
    expect(decided).toEqual([
      { approve: true, note: 'lost' },
      { approve: true, note: '2' },
      { approve: false, note: '1' },
    ]);
    expect(text).toContain('pay was approved: 2\n');
    expect(text).toContain('pay was denied: 1\n');
  });

  it('asks once more when an answer is none', async () => {
    const url = await served();
    const { prompts, decided } = await talk(url, ['[[call pay {}]]', '', 'yse', 'Yes ', 'ok']);
    expect(prompts.filter((prompt) => prompt.includes('approve it?'))).toHaveLength(3);
    expect(decided).toEqual([{ approve: true, note: 'ok' }]);
  });

  it('waits for somebody else to decide later', async () => {
    const url = await served();
    const told = talk(url, ['[[call pay {}]] [[say Paid.]]', 'later']);
    await expect.poll(() => pendingOf(url)).toBe(1);
    await decideFirst(url);
    expect((await told).text).toContain('somebody may decide elsewhere; Ctrl-C cancels\n  pay was approved');
  });

  it('asks nobody in a pipe, and goes on with the next line', async () => {
    const url = await served();
    const { text, well } = await talk(url, ['[[call pay {}]]'], { interactive: false });
    expect(text).toMatch(/^ {2}pay \{\} waits for a human to decide on \w+; run \w+ goes on then\n$/);
    expect(well).toBe(false);
    const next = await talk(url, ['[[call pay {}]]', '/new', '[[say Next.]]'], { interactive: false });
    expect(next.text).toContain('goes on then\nNext.\n');
    expect(next.well).toBe(true);
  });

  it('keeps what was said, until it is to be forgotten', async () => {
    const url = await served();
    const { text } = await talk(url, ['[[say First.]]', '[[echo messages]]', '/new', '[[echo messages]]'], {
      interactive: false,
    });
    const [, kept, fresh] = text.trim().split('\n');
    expect(kept).toContain('First.');
    expect(fresh).not.toContain('First.');
  });

  it('goes on in the next line, and leaves empty ones out', async () => {
    const url = await served();
    const { text, prompts } = await talk(url, ['', '[[say one]]\\', ' and two'], { interactive: false });
    expect(prompts).toEqual(['> ', '> ', '… ', '> ']);
    expect(text).toBe('one\n');
  });

  it('takes a misspelt command for none, and for no turn', async () => {
    const url = await served();
    const { text, well } = await talk(url, ['/nwe', '[[say Hi.]]'], { interactive: false });
    expect(text).toMatch(/^there is no \/nwe; Ctrl-C .*\nHi\.\n$/);
    expect(well).toBe(true);
  });

  it('says why a turn failed, or was refused', async () => {
    const url = await served();
    const failed = await talk(url, ['[[error 400]]'], { interactive: false });
    expect(failed.text).toContain('failed: provider "simulator" refused the request');
    expect(failed.well).toBe(false);
    const refused = await talk(url, ['x'.repeat(1_048_577)], { interactive: false });
    expect(refused.text).toContain('/input must');
    expect(refused.well).toBe(false);
  });

  it('shows the work of agents below it, and a handover', async () => {
    const url = await served();
    const below = await talk(
      url,
      ['[[call clerk {"input":"[[call look {}]] [[say Seen.]]"}]] [[say Done.]]'],
      {
        ...{ interactive: false, agent: 'boss' },
      },
    );
    expect(below.text).toContain('    clerk: look {} → seen\n');
    expect(below.text).toMatch(/Done\.\n$/);
    const over = await talk(url, ['[[handoff boss It is hard.]]'], { interactive: false });
    expect(over.text).toContain('  handed over to boss\n');
  });

  it('prints each message for programs', async () => {
    const url = await served();
    const { text } = await talk(url, ['[[say Hi.]]'], { interactive: false, json: true });
    const types = text
      .trim()
      .split('\n')
      .map((line) => Object(JSON.parse(line)).type);
    expect(types).toEqual(['run', 'delta', 'step', 'result']);
  });
});

async function listPending(url: string): Promise<readonly { readonly approval_id: string }[]> {
  const response = await fetch(`${url}/_svc/approvals`, { headers: { 'x-api-key': apiKey } });
  return Object(await response.json()).approvals;
}

const pendingOf = async (url: string): Promise<number> => (await listPending(url)).length;

async function decideFirst(url: string): Promise<void> {
  const [first] = await listPending(url);
  await fetch(`${url}/_svc/approvals/${first?.approval_id}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ approve: true, note: '' }),
  });
}

describe('the screen of a conversation', () => {
  const shown = (write: (screen: Screen) => void): string => {
    let text = '';
    write(new Screen({ write: (piece) => (text += piece) }, false));
    return text;
  };

  it('takes what is said for text, never for commands of the terminal', () => {
    const said = 'a\u001b[2J\u009b1mb\tc\r\nd\u202e \u200b\u200e\u200f\u061c\u2028\u00ad\u{e0041}';
    expect(shown((screen) => screen.say(said))).toBe(
      'a\\u001b[2J\\u009b1mb\tc\nd\\u202e \\u200b\\u200e\\u200f\\u061c\\u2028\\u00ad\\u{e0041}',
    );
    expect(shown((screen) => screen.note('x\u001b]0;title\u0007\r\ny\rz'))).toBe(
      'x\\u001b]0;title\\u0007 y\\u000dz\n',
    );
  });

  it.each([
    ['a family', ['\u{1f468}\u200d', '\u{1f469}', '\u200d\u{1f467} ok']],
    ['half a character', ['a \ud83d', '\ude92 ok']],
    ['a line', ['a\r', '\nb']],
    ['a picture at the end', ['a \u2764', '\ufe0f']],
  ])('keeps %s whole that comes in pieces', (_, pieces) => {
    const text = shown((screen) => {
      for (const piece of pieces) screen.say(piece);
      screen.endLine();
    });
    expect(text).toBe(`${pieces.join('').replace('\r\n', '\n')}\n`);
  });

  it('holds back no more than a picture takes', () => {
    const ship = '\u{1f6a2}';
    expect(shown((screen) => screen.say(ship.repeat(1_000))).length).toBeGreaterThanOrEqual(2 * 1_000 - 64);
    expect(
      shown((screen) => {
        screen.say('end\u200d\ud83d');
        screen.note('then');
      }),
    ).toBe('end\\u200d\\ud83d\nthen\n');
  });

  it('begins each note on a line of its own', () => {
    expect(
      shown((screen) => {
        screen.say('half');
        screen.note('a note');
        screen.say('line\n');
        screen.note('another');
        screen.endLine();
      }),
    ).toBe('half\na note\nline\nanother\n');
  });

  it('cuts long values', () => {
    expect(short('x'.repeat(100))).toHaveLength(100);
    expect(short({ a: 'x'.repeat(100) })).toBe(`{"a":"${'x'.repeat(94)}…`);
    const step = { seq: 1, run_id: 'r', agent: 'a', at_ms: 0, duration_ms: 0 } as const;
    expect(toStepLine({ ...step, kind: 'compaction' }, 'r')).toBe('  what was said before is summed up');
    expect(toStepLine({ ...step, kind: 'model' }, 'r')).toBeUndefined();
  });
});

describe('the lines of a conversation', () => {
  function typing({ isTTY }: { readonly isTTY: boolean }) {
    const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => {} });
    const output = Object.assign(new PassThrough(), { isTTY, columns: 80 });
    let interrupts = 0;
    const streams = [input, output] as unknown as [NodeJS.ReadStream, NodeJS.WriteStream];
    const lines = new TypedLines(...streams, () => interrupts++);
    onTestFinished(() => lines.close());
    return { input, output, lines, interrupts: () => interrupts };
  }

  it('of a pipe come one by one, and end with it', async () => {
    const { input, lines } = typing({ isTTY: false });
    input.end('one\ntwo');
    expect([await lines.next('> '), await lines.next('> '), await lines.next('> ')]).toEqual([
      ...['one', 'two', undefined],
    ]);
    expect([lines.interactive, lines.ended]).toEqual([false, true]);
  });

  it('of a terminal are asked for; Ctrl-C ends the question, or what is under way', async () => {
    const { input, output, lines, interrupts } = typing({ isTTY: true });
    const first = lines.next('> ');
    input.write('hello\r');
    expect(await first).toBe('hello');
    expect(String(output.read())).toContain('> ');
    const asked = lines.next('? ');
    input.write('\u0003');
    expect([await asked, interrupts()]).toEqual([undefined, 0]);
    input.write('\u0003');
    await expect.poll(interrupts).toBe(1);
    expect(lines.ended).toBe(false);
  });

  it('are asked for again below what is told meanwhile, with what was typed', async () => {
    const { input, output, lines } = typing({ isTTY: true });
    const asked = lines.next('> ');
    input.write('hel');
    await expect.poll(() => output.read() === null).toBe(true);
    lines.aside(() => output.write('it broke\n'));
    expect(String(output.read())).toMatch(/it broke\n[^\n]*> hel/);
    input.write('lo\r');
    expect(await asked).toBe('hello');
    output.read();
    lines.aside(() => output.write('between'));
    expect(String(output.read())).toBe('between');
  });

  it('end on a line of their own when nobody answers', async () => {
    const { input, output, lines } = typing({ isTTY: true });
    const asked = lines.ask('? ');
    input.write('\u0003');
    expect(await asked).toBeUndefined();
    expect(String(output.read())).toMatch(/\? [^\n]*\n$/);
  });

  it('drop what is typed with Ctrl-C, and end with the next one; a question ends at once', async () => {
    const { input, lines } = typing({ isTTY: true });
    const first = lines.next('> ');
    input.write('half\u0003whole\r');
    expect(await first).toBe('whole');
    const asked = lines.ask('approve it? ');
    input.write('ye\u0003');
    expect(await asked).toBeUndefined();
    const next = lines.next('> ');
    input.write('\u0003');
    expect(await next).toBeUndefined();
  });

  it('are no answer to a question that was not there when they were typed', async () => {
    const { input, lines } = typing({ isTTY: true });
    const first = lines.next('> ');
    input.write('pay him\ryes\r');
    expect(await first).toBe('pay him');
    const answer = lines.ask('approve it? ');
    input.write('no\r');
    expect([await answer, await lines.next('> ')]).toEqual(['no', 'yes']);
    input.write('ye');
    await new Promise((resolve) => setImmediate(resolve));
    const second = lines.ask('approve it? ');
    input.write('s\r');
    expect(await second).toBe('s');
  });
});
