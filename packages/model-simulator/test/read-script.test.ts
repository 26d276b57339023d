import { describe, expect, it } from 'vitest';
import type { Conversation, Turn } from '../src/request/conversation.ts';
import { readScript, withoutDirectives } from '../src/script/read-script.ts';

const user = (text: string): Turn => ({ role: 'user', text, images: [] });
const said: Turn = { role: 'assistant', text: 'said', calls: [] };
const answered: Turn = { role: 'tool', results: [] };

const conversation = (turns: readonly Turn[], system = ''): Conversation => ({
  format: 'openai',
  model: 'm',
  system,
  turns,
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelCalls: true,
  schema: undefined,
  maxTokens: undefined,
  stopSequences: [],
  stream: false,
  body: {},
});

const partsOf = (turns: readonly Turn[], system?: string) => readScript(conversation(turns, system)).parts;
const say = (text: string) => ({ kind: 'say', text });

describe('readScript', () => {
  const script = user('[[say one]] [[say two]] [[say three]]');

  it('plays one step for each turn of the assistant since the text with the script', () => {
    expect(partsOf([script])).toEqual([say('one')]);
    expect(partsOf([script, said])).toEqual([say('two')]);
    expect(partsOf([script, said, answered, said])).toEqual([say('three')]);
    expect(partsOf([script, said, said, said])).toEqual([]);
  });

  it('goes on over texts without directives and begins again with one that has some', () => {
    expect(partsOf([script, said, user('go on')])).toEqual([say('two')]);
    expect(partsOf([script, said, user('[[say new]]')])).toEqual([say('new')]);
  });

  it('repeats the steps when it is told to', () => {
    const loop = user('[[say one]] [[say two]] [[repeat]]');
    expect(partsOf([loop, said, said])).toEqual([say('one')]);
    expect(partsOf([loop, said, said, said])).toEqual([say('two')]);
  });

  it('takes the steps of the system text when the user has none, anew for each text of the user', () => {
    const system = '[[say one]] [[say two]]';
    expect(partsOf([user('hi')], system)).toEqual([say('one')]);
    expect(partsOf([user('hi'), said], system)).toEqual([say('two')]);
    expect(partsOf([user('hi'), said, user('again')], system)).toEqual([say('one')]);
    expect(partsOf([user('hi'), said, answered, user('an image')], system)).toEqual([say('two')]);
    expect(partsOf([user('[[say mine]]')], system)).toEqual([say('mine')]);
  });

  it('joins what has an & between it into one turn', () => {
    expect(partsOf([user('[[thinking Hm]] & [[say Hello]]\n&\n[[call a]] [[say next]]')])).toEqual([
      { kind: 'thinking', text: 'Hm' },
      say('Hello'),
      { kind: 'call', calls: [{ name: 'a', arguments: {} }] },
    ]);
  });

  it('puts failures before the step that follows them, or before an open one', () => {
    const { failures, parts } = readScript(
      conversation([user('[[error 429 times=1]] [[hang]] [[say a]] [[cut]]')]),
    );
    expect([failures.map(({ kind, times }) => [kind, times]), parts]).toEqual([
      [
        ['error', 1],
        ['hang', Number.POSITIVE_INFINITY],
      ],
      [say('a')],
    ]);
    const next = readScript(conversation([user('[[say a]] [[cut]]'), said]));
    expect([next.failures.map(({ kind }) => kind), next.parts]).toEqual([['cut'], []]);
  });

  it('lets settings of both texts hold, the user over the system', () => {
    const system = '[[latency 5]] [[window 9]] [[quirk no_done, crlf]]';
    const { settings } = readScript(conversation([user('[[latency 7]] [[quirk comments]] hi')], system));
    expect(settings).toEqual({
      latencyMs: 7,
      paceMs: 0,
      usage: { form: 'counted' },
      quirks: new Set(['no_done', 'crlf', 'comments']),
      window: 9,
    });
  });

  it('reads calls with and without arguments', () => {
    const calls = (text: string) => (partsOf([user(text)])[0] as { calls: unknown }).calls;
    expect(calls('[[call a]]')).toEqual([{ name: 'a', arguments: {} }]);
    expect(calls('[[calls a {"x":[[1,2],"]]"]}, b | c {"y":{}}]]')).toEqual([
      { name: 'a', arguments: { x: [[1, 2], ']]'] } },
      { name: 'b', arguments: {} },
      { name: 'c', arguments: { y: {} } },
    ]);
    expect(calls('[[call a "{broken"]]')).toEqual([{ name: 'a', arguments: '{broken' }]);
    expect(calls('[[handoff desk it is about tickets]]')).toEqual([
      { name: 'transfer_to_desk', arguments: { reason: 'it is about tickets' } },
    ]);
  });

  it('leaves directives in the arguments of a call to whoever gets them', () => {
    const text = '[[call ask_desk {"input":"[[call get {\\"id\\":4}]] [[say done]]"}]] [[say mine]]';
    expect(partsOf([user(text)])).toEqual([
      {
        kind: 'call',
        calls: [{ name: 'ask_desk', arguments: { input: '[[call get {"id":4}]] [[say done]]' } }],
      },
    ]);
    expect(partsOf([user(text), said])).toEqual([say('mine')]);
  });

  it.each([
    ['[[call]]', 'a call needs the name of a tool'],
    ['[[call {"a":1}]]', 'a call begins with the name of a tool'],
    ['[[call a {b}]]', 'not JSON: {b}'],
    ['[[json {]]', undefined],
    ['[[json nope]]', 'not JSON: nope'],
    ['[[error]]', 'an error has a status from 400 to 599'],
    ['[[error 399]]', 'an error has a status from 400 to 599'],
    ['[[error 600]]', 'an error has a status from 400 to 599'],
    ['[[error 500 tmes=2]]', 'there is no tmes='],
    ['[[error 500 retry-after="\\n"]]', 'not a header'],
    ['[[latency soon]]', 'not a count: soon'],
    ['[[latency -1]]', 'not a count: -1'],
    ['[[usage strange]]', 'strange is none of none, null, odd'],
    ['[[usage inputs=1]]', 'inputs is none of input'],
    ['[[quirk no_such]]', 'there is no quirk no_such'],
    ['[[echo nothing]]', 'nothing is none of all'],
    ['[[block 1]]', 'not a JSON object: 1'],
    ['[[stop soon]]', 'soon is none of length'],
    ['[[malformed xml]]', 'xml is none of json'],
    ['[[size 67108865]]', 'a reply has 67108864 bytes at most'],
  ])('refuses %s', (text, problem) => {
    if (problem === undefined) expect(partsOf([user(text)])).toEqual([]);
    else expect(() => partsOf([user(text)])).toThrow(`the script in the prompt is wrong: ${problem}`);
  });

  it('takes the largest reply there is', () => {
    expect(partsOf([user('[[size 67108864]]')])).toEqual([{ kind: 'size', bytes: 67_108_864 }]);
  });
});

describe('withoutDirectives', () => {
  it('leaves the text around them', () => {
    expect(withoutDirectives('Show [[say Hi]] & [[call a {"x":"]]"}]] ticket 4')).toBe('Show ticket 4');
  });

  it.each([
    '[[wiki link]]',
    '[[Say Hi]]',
    '[[ say Hi]]',
    '[[say',
    'a[0][[1]]',
    '[[saying]] & [[',
    '[[call a {"x": 1]]',
  ])('leaves %j alone', (text) => {
    expect(withoutDirectives(text)).toBe(text);
  });
});
