import { createRouteTable, DeclarationError, type Problem, toRoute } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { scriptedModel, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createFlows, type FlowDeclaration, type FlowOptions, flow, flowRules } from '../src/index.ts';
import { strictTool, toolBench } from './desk/tools.ts';

/** What is said at boot, without the places. */
function check(
  flows: readonly FlowDeclaration[],
  models: Boot['models'] = scriptedModel([]),
  env: Boot['env'] = () => undefined,
): readonly string[] {
  const plugin = createFlows(flows);
  const bench = toolBench({
    ...{ look: { scopes: ['read'] }, peek: { scopes: ['read'] } },
    ...{ write: {}, writer: { kind: 'agent' } },
  });
  const hidden = { ...strictTool('hidden'), tool: false };
  const table = createRouteTable([...bench.routes, ...schemaTools, strictTool(), hidden, ...plugin.routes]);
  const boot: Boot = { table, env, ...(models && { models }) };
  return [...table.problems, ...(plugin.check?.(boot) ?? [])].map(lineOf);
}

/** Tools that are declared by one JSON Schema each. */
const schemaTools = Object.entries({
  raw: { properties: { a: {}, b: { default: 1 } }, required: ['a', 'b'], additionalProperties: false },
  loose: { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
}).map(([name, schema]) =>
  toRoute(
    'POST',
    `/${name}`,
    { kind: 'handler' },
    { tool: true, toolName: name, input: { type: 'object', ...schema } },
  ),
);

function lineOf(found: Problem): string {
  const { at: _, severity, ...problem } = found;
  return `${severity === 'warning' ? 'warning: ' : ''}${toProblemLine(problem)}`;
}

// What a program without types may pass.
const make = (options: object, name: string = 'triage') =>
  flow(name, { public: true, ...options } as unknown as FlowOptions);

const one = (options: object, name?: string): readonly string[] => check([make(options, name)]);

const pipeline = (...steps: unknown[]): readonly string[] => one({ pipeline: steps });

describe('a flow that is declared well', () => {
  it('has no problems, with everything it may say', () => {
    const more = {
      ...{ description: 'Sorts.', scopes: ['read'], exposeScopes: ['start'], tokenBudget: 1 },
      ...{ exposeAt: '/sort', tool: false, inputSchema: { type: 'object' }, public: false },
    };
    const step = { tool: 'write', input: { a: '$', b: ['$input.x', { c: '$$' }], d: null, e: 1, f: true } };
    expect(one({ pipeline: ['look', step], ...more })).toEqual([]);
    expect(one({ parallel: ['look', step], merge: 'merge', ...more })).toEqual([]);
    const choice = { default: step, classifyWith: 'smart', classifyPrompt: '{labels} {input} {x}' };
    expect(one({ route: { a: 'look', 'two words': step }, ...choice, ...more })).toEqual([]);
  });
});

describe('a flow', () => {
  it.each(['', '7up', 'a b', 'a'.repeat(65), 'ä', 7 as unknown as string])('cannot be called %j', (name) => {
    const [line, ...more] = one({ pipeline: ['write'] }, name);
    expect(line).toContain('its name is not a letter and up to 63 letters, digits, "_" or "-" after it');
    expect(more).toEqual([]);
  });

  it('can have a name of 64 letters', () => {
    expect(one({ pipeline: ['write'] }, 'a'.repeat(64))).toEqual([]);
  });

  it('is declared once, whatever its hyphens', () => {
    const twins = [make({ pipeline: ['write'] }, 'my_flow'), make({ pipeline: ['write'] }, 'My-Flow')];
    expect(check(twins)).toEqual([
      expect.stringMatching(
        /^flow "My-Flow": flow "my_flow" is declared at \S+ already; give one/,
      ) as unknown,
    ]);
  });

  it.each([
    [{}, "it is none of pipeline, parallel and route; write pipeline: ['…']"],
    [
      { pipeline: ['write'], parallel: ['write'] },
      'it is pipeline and parallel at once; make a flow of each',
    ],
    [
      { pipeline: ['write'], parallel: ['write'], route: { a: 'write' } },
      'it is pipeline and parallel and route at once; make a flow of each',
    ],
    [{ pipeline: undefined, parallel: ['write'] }, undefined],
  ])('is exactly one of three: %o', (options, line) => {
    verifies('flow.option.shape');
    expect(one(options)).toEqual(line === undefined ? [] : [`flow "triage": ${line}`]);
  });

  it.each([
    [{ pipeline: [] }, "its pipeline has no step; write pipeline: ['…']"],
    [{ parallel: [] }, "its parallel has no step; write parallel: ['…']"],
    [{ route: {} }, "its route has no step; write route: { billing: '…' }"],
    [{ pipeline: 'write' }, "pipeline is not a list of steps; write pipeline: ['…', '…']"],
    [{ route: ['write'] }, "route is not a map of labels to steps; write route: { billing: '…' }"],
  ])('has steps: %o', (options, line) => {
    expect(one(options)).toEqual([`flow "triage": ${line}`]);
  });

  it.each([
    [7, `pipeline[0] is neither the name of a tool nor { tool, input }; write 'list_tickets'`],
    ['', `pipeline[0] is neither the name of a tool nor { tool, input }; write 'list_tickets'`],
    [{}, `pipeline[0] is neither the name of a tool nor { tool, input }; write 'list_tickets'`],
    [['write'], `pipeline[0] is neither the name of a tool nor { tool, input }; write 'list_tickets'`],
    [{ tool: 7 }, `pipeline[0].tool is not a text; write '7'`],
    [{ tool: 'write', inputs: {} }, 'unknown option "pipeline[0].inputs" (did you mean "input"?)'],
    [{ tool: 'write', input: '$' }, "pipeline[0].input is not an object; write input: { name: '$.path' }"],
    [{ tool: 'write', input: ['$'] }, "pipeline[0].input is not an object; write input: { name: '$.path' }"],
    [
      { tool: 'write', input: { at: new Date(0) } },
      'pipeline[0].input.at is nothing that JSON can hold; write a text, a number, a list or an object',
    ],
    [
      { tool: 'write', input: { list: [1, Number.NaN] } },
      'pipeline[0].input.list[1] is nothing that JSON can hold; write a text, a number, a list or an object',
    ],
    [
      { tool: 'write', input: { map: new Map() } },
      'pipeline[0].input.map is nothing that JSON can hold; write a text, a number, a list or an object',
    ],
  ])('has steps of one form: %j', (step, line) => {
    expect(pipeline(step)).toEqual([`flow "triage": ${line}`]);
  });

  it.each([
    ['a hole', Object.assign(new Array(2), { 1: 'write' })],
    ['nothing but holes', new Array(1)],
  ])('has no list of steps with %s', (_, steps) => {
    expect(one({ parallel: steps })).toEqual([
      `flow "triage": parallel[0] is neither the name of a tool nor { tool, input }; write 'list_tickets'`,
    ]);
  });

  it('has no step that holds itself, or is too deep', () => {
    const circle: Record<string, unknown> = { n: 1 };
    circle['self'] = circle;
    expect(pipeline({ tool: 'write', input: circle })).toEqual([
      'flow "triage": pipeline[0].input.self holds itself; take it out',
    ]);
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    expect(pipeline({ tool: 'write', input: nested(63) })).toEqual([]);
    expect(pipeline({ tool: 'write', input: nested(64) })).toEqual([
      expect.stringContaining('is more than 64 levels deep; make it flatter') as unknown,
    ]);
  });

  it.each([
    ['', `label "" is not a word of up to 64 characters; write a word: 'billing'`],
    [' a', `label " a" is not a word of up to 64 characters; write a word: 'billing'`],
    ['a\nb', `label "a\\nb" is not a word of up to 64 characters; write a word: 'billing'`],
    ['a\u0000b', `label "a\\u0000b" is not a word of up to 64 characters; write a word: 'billing'`],
    ['a\ud83d', `label "a\\ud83d" is not a word of up to 64 characters; write a word: 'billing'`],
    ['a'.repeat(64), undefined],
    ['😀'.repeat(64), undefined],
  ])('has labels that are words: %j', (label, line) => {
    expect(one({ route: { [label]: 'write' } })).toEqual(
      line === undefined ? [] : [`flow "triage": ${line}`],
    );
  });

  it('has labels of at most 64 characters', () => {
    expect(one({ route: { ['a'.repeat(65)]: 'write' } })).toHaveLength(1);
    expect(one({ route: { ['😀'.repeat(65)]: 'write' } })).toHaveLength(1);
  });

  it('has labels that differ by more than case', () => {
    expect(one({ route: { Billing: 'write', billing: 'write' } })).toEqual([
      'flow "triage": labels "Billing" and "billing" differ by case only; take one of them out',
    ]);
  });

  it.each([
    [
      { pipeline: ['write'], merge: 'merge' },
      'merge belongs to parallel, and it is a pipeline flow; take merge out',
    ],
    [
      { route: { a: 'write' }, merge: 'collect' },
      'merge belongs to parallel, and it is a route flow; take merge out',
    ],
    [{ parallel: ['write'], merge: 'mrge' }, 'unknown merge "mrge" (did you mean "merge"?)'],
    [{ parallel: ['write'], merge: 'zip' }, 'unknown merge "zip"; write collect or merge'],
  ])('merges in one of two ways, and where there is something to merge: %o', (options, line) => {
    verifies('flow.option.merge');
    expect(one(options)).toEqual([`flow "triage": ${line}`]);
  });

  it.each([
    [
      { pipeline: ['write'], default: 'write' },
      'default belongs to a route, and it is a pipeline flow; take default out',
    ],
    [
      { parallel: ['write'], default: 'write' },
      'default belongs to a route, and it is a parallel flow; take default out',
    ],
  ])('has a default where it routes: %o', (options, line) => {
    verifies('flow.router.default-alone');
    expect(one(options)).toEqual([`flow "triage": ${line}`]);
  });

  it('has a default that is a step', () => {
    expect(one({ route: { a: 'write' }, default: 7 })).toEqual([
      `flow "triage": default is neither the name of a tool nor { tool, input }; write 'list_tickets'`,
    ]);
  });

  it('classifies where it routes', () => {
    expect(one({ parallel: ['write'], classifyWith: 'fast', classifyPrompt: '' })).toEqual([
      'flow "triage": classifyWith belongs to a route, and it is a parallel flow; take classifyWith out',
      'flow "triage": classifyPrompt belongs to a route, and it is a parallel flow; take classifyPrompt out',
    ]);
  });

  it('has a prompt with places that there are', () => {
    expect(one({ route: { a: 'write' }, classifyPrompt: '{label} { input } {other}' })).toEqual([
      'flow "triage": classifyPrompt has no place "{label}" (did you mean "{labels}"?)',
      'flow "triage": classifyPrompt has no place "{ input }" (did you mean "{input}"?)',
    ]);
  });

  it.each([
    ['$foo', '(did you mean "$.foo"?)'],
    ['$.a..b', '(did you mean "$.a.b"?)'],
    ['$inputs.x', '(did you mean "$input.x"?)'],
    ['$5', '; write "$$5" for the text itself, or one of $, $.path, $input, $input.path'],
  ])('has templates that are some: %s', (text, advice) => {
    const steps = [{ tool: 'write', input: { list: [{ it: text }] } }];
    expect(one({ pipeline: steps })).toEqual([
      expect.stringContaining(`pipeline[0].input.list[0].it is "${text}", and no template`) as unknown,
    ]);
    expect(one({ pipeline: steps })[0]).toContain(advice);
    expect(one({ route: { a: steps[0] } })[0]).toContain('route.a.input.list[0].it is');
  });

  it('has texts of any length that are no templates', () => {
    expect(pipeline({ tool: 'write', input: { a: `$${'['.repeat(500_000)}` } })).toEqual([
      expect.stringContaining('and no template; write "$$[[') as unknown,
    ]);
  });

  it('reads of its input what its schema has', () => {
    const steps = [
      { tool: 'write', input: { a: '$input.order.id', b: '$input.ordr.id', c: '$.order.x', d: '$input' } },
      { tool: 'write', input: { a: '$.other' } },
    ];
    const line = 'flow "triage": it is never given "$input.ordr.id" (did you mean "$input.order.id"?)';
    const order = { type: 'object' };
    expect(one({ pipeline: steps, inputSchema: { order } })).toEqual([line]);
    expect(one({ pipeline: steps, inputSchema: { type: 'object', properties: { order } } })).toEqual([]);
    expect(one({ pipeline: steps })).toEqual([]);
  });

  it.each([
    ['the first of a pipeline', (step: object) => ({ pipeline: [step, 'write'] })],
    ['each that runs at once', (step: object) => ({ parallel: ['write', step] })],
    ['one that is chosen', (step: object) => ({ route: { a: step } })],
    ['the default', (step: object) => ({ route: { a: 'write' }, default: step })],
  ])('reads of its input what its schema has, as what reaches %s', (_, options) => {
    const step = { tool: 'write', input: { a: ['$.ordr.id'] } };
    const order = { type: 'object' };
    expect(one({ ...options(step), inputSchema: { order } })).toEqual([
      'flow "triage": it is never given "$.ordr.id" (did you mean "$.order.id"?)',
    ]);
  });

  it('has nothing to add about a schema that is none', () => {
    const inputSchema = { type: 'object', properties: null, additionalProperties: false };
    const broken = make({ pipeline: ['write'], inputSchema }, 'broken');
    expect(check([broken, make({ pipeline: [{ tool: 'broken', input: {} }] })])).toEqual([
      expect.stringContaining('properties is not an object of schemas') as unknown,
    ]);
  });

  it.each([
    [{ id: 1, note: '', style: '' }, []],
    [{ id: 1 }, []],
    [{ id: 1, nte: '' }, ['its step "ticket" takes no "nte" (did you mean "note"?)']],
    [{ id: 1, other: '' }, ['its step "ticket" takes no "other"; take it out of the input']],
    [{ note: '' }, [`its step "ticket" needs "id"; add id: '$.id' to its input`]],
  ])('gives its tools what they take: %o', (input, lines) => {
    expect(pipeline({ tool: 'ticket', input })).toEqual(lines.map((line) => `flow "triage": ${line}`));
  });

  it('gives tools what their JSON Schema takes, what has a default only if it likes', () => {
    expect(pipeline({ tool: 'raw', input: { a: 1 } }, { tool: 'loose', input: { x1: 1 } })).toEqual([]);
    expect(pipeline({ tool: 'raw', input: { c: 1 } })).toEqual([
      `flow "triage": its step "raw" takes no "c"; take it out of the input`,
      `flow "triage": its step "raw" needs "a"; add a: '$.a' to its input`,
    ]);
  });

  it.each([
    [{ input: '$' }, []],
    [{ input: '$', session_id: 'a' }, ['its step "writer" takes no "session_id"; take it out of the input']],
    [{}, [`its step "writer" needs "input"; add input: '$.input' to its input`]],
  ])('gives agents their input and nothing else: %o', (input, lines) => {
    expect(pipeline({ tool: 'writer', input })).toEqual(lines.map((line) => `flow "triage": ${line}`));
  });

  it('has steps that are tools', () => {
    verifies('flow.option.shape');
    expect(pipeline('writ')).toEqual(['flow "triage": unknown step "writ" (did you mean "write"?)']);
    expect(pipeline('x_y_z')).toEqual([
      'flow "triage": unknown step "x_y_z"; declare it, or take it out of the flow',
    ]);
    expect(pipeline('hidden')).toEqual([
      'flow "triage": its step "hidden" is no tool; declare it with tool: true',
    ]);
    expect(one({ route: { a: 'write' }, default: 'writ' })).toHaveLength(1);
  });

  it('does not contain itself', () => {
    verifies('boot.flow-in-itself');
    expect(pipeline('write', 'triage')).toEqual([
      'flow "triage": it contains itself: triage → triage; take "triage" out of its steps',
    ]);
    const around = [
      make({ pipeline: ['b'] }, 'a'),
      make({ parallel: ['write', 'c'] }, 'b'),
      make({ route: { x: 'write' }, default: 'a' }, 'c'),
      make({ pipeline: ['a', 'b'] }, 'outside'),
    ];
    expect(check(around)).toEqual([
      'flow "a": it contains itself: a → b → c → a; take "b" out of its steps',
      'flow "b": it contains itself: b → c → a → b; take "c" out of its steps',
      'flow "c": it contains itself: c → a → b → c; take "a" out of its steps',
    ]);
  });

  it('may contain another one twice', () => {
    expect(check([make({ pipeline: ['b', 'b'] }, 'a'), make({ pipeline: ['write'] }, 'b')])).toEqual([]);
  });

  it('has the scopes that its steps need', () => {
    expect(pipeline('look', 'look', 'peek')).toEqual([
      `flow "triage": lacks the scope "read", which its step "look" needs; add 'read' to its scopes`,
    ]);
    expect(one({ pipeline: ['look'], scopes: ['read'] })).toEqual([]);
  });

  it.each([
    [{ descripton: '' }, 'unknown option "descripton" (did you mean "description"?)'],
    [{ tool: 'yes' }, 'tool is not true or false; write true or false'],
    [{ scopes: 'a b' }, 'scopes are not a list of words without spaces; write ["a","b"]'],
    [{ exposeAt: '/a/{id}' }, `exposeAt "/a/{id}" has a parameter; write fixed text: '/triage'`],
    [{ exposeAt: 'sort' }, undefined],
    [{ inputSchema: 7 }, 'inputSchema is not an object; write { … }'],
    [
      { tokenBudget: 0 },
      'tokenBudget is not a whole number from 1 to 1,000,000,000; write tokenBudget: 200000',
    ],
    [
      { tokenBudget: 1.5 },
      'tokenBudget is not a whole number from 1 to 1,000,000,000; write tokenBudget: 200000',
    ],
    [
      { tokenBudget: 1_000_000_001 },
      'tokenBudget is not a whole number from 1 to 1,000,000,000; write tokenBudget: 200000',
    ],
  ])('has options of their types: %o', (options, line) => {
    // What is no path at all is said of its routes.
    const said = one({ pipeline: ['write'], ...options }).filter((found) => found.startsWith('flow '));
    expect(said).toEqual(line === undefined ? [] : [`flow "triage": ${line}`]);
  });

  it.each([1, 1_000_000_000])('may have a budget of %d tokens', (tokenBudget) => {
    expect(one({ pipeline: ['write'], tokenBudget })).toEqual([]);
  });

  it('without an object of options is reported', () => {
    expect(check([flow('triage', 7 as unknown as FlowOptions)])).toContain(
      'flow "triage": the options are not an object; write { name: value }',
    );
  });

  it('that anybody can start says so, or is warned about', () => {
    const line =
      'warning: flow "triage": anybody can start it, and what its steps do is done in its name; give it exposeScopes, or write public: true';
    expect(one({ pipeline: ['write'], public: false })).toEqual([line]);
    expect(one({ pipeline: ['write'], public: false, exposeScopes: ['start'] })).toEqual([]);
  });

  it('that anybody can start does not start in production', () => {
    const open = make({ pipeline: ['write'], public: false });
    const env = (name: string) => (name === 'NODE_ENV' ? 'production' : undefined);
    expect(check([open], undefined, env)).toEqual([
      'flow "triage": anybody can start it, and what its steps do is done in its name; give it exposeScopes, or write public: true',
    ]);
    expect(check([make({ pipeline: ['write'] })], undefined, env)).toEqual([]);
  });

  it('chooses with a model that there is', () => {
    const models = {
      ...scriptedModel([]),
      check: (alias: string) => ({ declaration: '', rule: `unknown model "${alias}"`, nearest: 'fast' }),
    };
    const route = { route: { a: 'write' }, classifyWith: 'fst' };
    expect(check([make(route)], models)).toEqual([
      'flow "triage": unknown model "fst" (did you mean "fast"?)',
    ]);
    expect(check([make({ pipeline: ['write'] })], models)).toEqual([]);
  });
});

describe('createFlows', () => {
  it('needs models only where a flow routes', () => {
    expect(createFlows([]).needs).toEqual([]);
    expect(createFlows([make({ pipeline: ['write'] })]).needs).toEqual(['runner']);
    expect(createFlows([make({ route: { a: 'write' } })]).needs).toEqual(['runner', 'models']);
  });

  it('does not start with what is wrong', () => {
    expect(() => createFlows([make({})]).start?.(testHost())).toThrow(DeclarationError);
  });
});

describe('the rules', () => {
  it('have one finished sentence each', () => {
    for (const text of Object.values(flowRules)) expect(text).toMatch(/^[A-Z].*\.$/);
  });
});
