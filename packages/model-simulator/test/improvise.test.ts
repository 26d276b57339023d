import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseTool } from '../src/improvise/choose-tool.ts';
import { Hints } from '../src/improvise/hints.ts';
import { instanceOf } from '../src/improvise/instance-of.ts';
import { type Simulator, startSimulator } from '../src/index.ts';
import { anthropicTools, getTicket, message, textOf } from './ask.ts';

const tool = (name: string, description = '', schema: Record<string, unknown> = {}) => ({
  name,
  description,
  schema,
});
const number = { properties: { id: { type: 'integer' } }, required: ['id'] };

describe('chooseTool', () => {
  const tools = [
    tool('list_tickets', 'Lists all open tickets.'),
    tool('get_ticket', 'Reads one ticket with its history.', number),
    tool('camera_snapshot', 'The newest frame of the front door.'),
  ];
  const chosen = (text: string) => chooseTool(tools, text)?.name;

  it('takes the tool whose name and description share most words with the text', () => {
    expect(chosen('What does the camera at the front door see?')).toBe('camera_snapshot');
    expect(chosen('the history of ticket 4')).toBe('get_ticket');
    expect(chosen('list what is open')).toBe('list_tickets');
    expect(chosen('newest frame')).toBe('camera_snapshot');
  });

  it('takes none when too little agrees', () => {
    expect(chosen('hello')).toBeUndefined();
    expect(chosen('the door')).toBeUndefined();
    expect(chosen('show me all of it please')).toBeUndefined();
  });

  it('takes none that needs a number when there is none', () => {
    expect(chosen('the history of a ticket')).toBe('list_tickets');
  });
});

describe('instanceOf', () => {
  const fill = (properties: object, text: string, required = Object.keys(properties)) =>
    instanceOf({ type: 'object', properties, required }, new Hints(text));
  const integer = { type: 'integer' };
  const string = { type: 'string' };

  it('takes numbers in their order, or those after their names', () => {
    expect(fill({ id: integer, limit: integer }, 'ticket 4, 10 lines')).toEqual({ id: 4, limit: 10 });
    expect(fill({ id: integer, limit: integer }, 'limit 10 for id 4')).toEqual({ id: 4, limit: 10 });
    expect(fill({ share: { type: 'number' } }, 'about 2.5 of it')).toEqual({ share: 2.5 });
    expect(fill({ id: integer }, 'none')).toEqual({ id: 1 });
    const tenths = { type: 'number', multipleOf: 0.1, minimum: 0.25 };
    expect(fill({ share: tenths }, 'about 0.2 of it')).toEqual({ share: 0.3 });
  });

  it('takes texts after their names, then quotations, then the whole text', () => {
    expect(fill({ name: string }, 'the name is Ann')).toEqual({ name: 'Ann' });
    expect(fill({ title: string, note: string }, 'add "Printer" and “burns”')).toEqual({
      title: 'Printer',
      note: 'burns',
    });
    expect(fill({ query: string }, 'what burns?')).toEqual({ query: 'what burns?' });
    expect(instanceOf(string, new Hints('all of it'))).toBe('all of it');
  });

  it('chooses the value of an enum that the text says', () => {
    const level = { enum: ['low', 'high'] };
    expect(fill({ level }, 'this is high')).toEqual({ level: 'high' });
    expect(fill({ level }, 'this is')).toEqual({ level: 'low' });
  });

  it('reads yes and no', () => {
    expect(fill({ open: { type: 'boolean' } }, 'open it')).toEqual({ open: true });
    expect(fill({ open: { type: 'boolean' } }, 'do not open it')).toEqual({ open: false });
  });

  it('leaves out what is not required, unless the text says its name', () => {
    expect(fill({ id: integer, limit: integer }, 'ticket 4', ['id'])).toEqual({ id: 4 });
    expect(fill({ id: integer, limit: integer }, 'ticket 4, limit 10', ['id'])).toEqual({ id: 4, limit: 10 });
  });

  it('ends in schemas that never do', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(JSON.stringify(instanceOf(schema, new Hints(''))).length).toBeLessThan(1000);
    expect(instanceOf({ $ref: '#' }, new Hints('x'))).toBe('x');
    const list = { type: 'array', minItems: 1000, items: { $ref: '#' } };
    expect(JSON.stringify(instanceOf(list, new Hints(''))).length).toBeLessThan(1_000_000);
  });
});

describe('a model without a script', () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator();
  });

  afterAll(() => simulator.close());

  const transfer = { name: 'transfer_to_desk', description: 'Hands over a ticket to the support desk.' };
  const use = (name: string) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name, input: {} }],
  });
  const result = (content: unknown, more: object = {}) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'a', content, ...more }],
  });

  it('says what it is, what it was told and what it can do', async () => {
    const asked = await message(simulator, 'hello there', { tools: anthropicTools(getTicket) });
    expect(textOf(asked)).toBe(
      'I am a scripted model, no real one was asked. You said: hello there I can call get_ticket.',
    );
  });

  it('calls the tool that the text suggests and then tells what it answered', async () => {
    const question = { role: 'user', content: 'what is ticket 4 about?' };
    const tools = anthropicTools(getTicket);
    const asked = await message(simulator, '', { messages: [question], tools });
    expect(asked.json.content).toMatchObject([{ type: 'tool_use', name: 'get_ticket', input: { id: 4 } }]);
    const messages = [question, use('get_ticket'), result('{"title":"Printer"}')];
    expect(textOf(await message(simulator, '', { messages, tools }))).toBe(
      'get_ticket answered: {"title":"Printer"}\nI am a scripted model, no real one was asked.',
    );
    const failed = [question, use('get_ticket'), result('no such ticket', { is_error: true })];
    expect(textOf(await message(simulator, '', { messages: failed, tools }))).toMatch(
      /^get_ticket failed: no such ticket\n/,
    );
  });

  it('works on after it was handed over', async () => {
    const messages = [
      { role: 'user', content: 'transfer ticket 4 to the support desk' },
      use('transfer_to_desk'),
      result('done'),
    ];
    const asked = await message(simulator, '', { messages, tools: anthropicTools(transfer, getTicket) });
    expect(asked.json.content).toMatchObject([{ name: 'get_ticket', input: { id: 4 } }]);
  });

  it('keeps to a schema once its tools have answered', async () => {
    const schema = {
      type: 'object',
      properties: { team: { enum: ['billing', 'printers'] } },
      required: ['team'],
      additionalProperties: false,
    };
    const messages = [{ role: 'user', content: 'ticket 4: printer' }, use('get_ticket'), result('ok')];
    const asked = await message(simulator, '', {
      messages,
      tools: anthropicTools(getTicket),
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(JSON.parse(textOf(asked))).toEqual({ team: 'printers' });
  });

  it('cuts long quotations', async () => {
    const messages = [{ role: 'user', content: 'ticket 4' }, use('get_ticket'), result('x'.repeat(3000))];
    const asked = await message(simulator, '', {
      messages,
      tools: anthropicTools(getTicket),
      max_tokens: 5000,
    });
    expect(textOf(asked)).toContain(`${'x'.repeat(2000)}…`);
    expect(textOf(asked)).not.toContain('x'.repeat(2001));
  });
});
