import { createRouteTable, DeclarationError, type Problem, type Route } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import type { Boot, Database } from '@waymark/contract/engine';
import { scriptedModel, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  type AgentOptions,
  type AgentsDeclaration,
  agent,
  agentRules,
  type ContextOptions,
  context,
  contextRules,
  createAgents,
} from '../src/index.ts';
import { openTools } from './desk/tools.ts';

/** What is said at boot, without the places. */
function check(
  declarations: readonly AgentsDeclaration[],
  {
    database,
    models = scriptedModel([]),
    production = false,
  }: {
    readonly database?: boolean;
    readonly models?: Boot['models'];
    readonly production?: boolean;
  } = {},
): readonly string[] {
  const plugin = createAgents(declarations, database === undefined ? {} : { database });
  const routes: readonly Route[] = [...openTools().routes, ...plugin.routes];
  const table = createRouteTable(routes);
  const env = (name: string) => (production && name === 'NODE_ENV' ? 'production' : undefined);
  const boot: Boot = { table, env, ...(models && { models }) };
  return [...table.problems, ...(plugin.check?.(boot) ?? [])].map(lineOf);
}

function lineOf(found: Problem): string {
  const { at: _, severity, ...problem } = found;
  return `${severity === 'warning' ? 'warning: ' : ''}${toProblemLine(problem)}`;
}

const one = (options: object, name = 'support'): readonly string[] =>
  check([agent(name, { public: true, ...options })]);

const provider = (options: object, name = 'facts'): readonly string[] => check([context(name, options)]);

describe('an agent that is declared well', () => {
  it('has no problems, with everything it may say', () => {
    const full: AgentOptions = {
      ...{
        model: 'smart',
        system: 'Help.',
        description: 'Helps.',
        tools: ['look', 'boss'],
        handoffs: ['boss'],
      },
      ...{ context: ['facts'], scopes: ['read'], exposeScopes: ['start'], maxSteps: 1, tokenBudget: 1 },
      ...{ cache: false, toolResultLimit: 1, contextWindow: 100, compactWith: 'small', keepRecent: 1 },
      ...{
        temperature: 0,
        maxTokens: 1,
        exposeAt: '/help',
        tool: false,
        maxImages: 0,
        images: false,
        public: false,
      },
    };
    const boss = agent('boss', { handoffs: ['support'], scopes: ['read'] });
    expect(check([agent('support', full), boss, context('facts', { data: 1 })])).toEqual([]);
  });
});

describe('an agent', () => {
  it.each(['', '7up', 'a b', 'a'.repeat(53), 'ä', 7 as unknown as string])('cannot be called %j', (name) => {
    const [line, ...more] = one({}, name);
    expect(line).toContain('its name is not a letter and up to 51 letters, digits, "_" or "-" after it');
    expect(more).toEqual([]);
  });

  it('can have a name of 52 letters', () => {
    expect(one({}, 'a'.repeat(52))).toEqual([]);
  });

  it('is declared once, whatever its hyphens', () => {
    const twins = [agent('front_desk', { public: true }), agent('Front-Desk', { public: true })];
    expect(check(twins)).toEqual([
      expect.stringMatching(
        /^agent "Front-Desk": agent "front_desk" is declared at \S+ already; give one/,
      ) as unknown,
    ]);
  });

  it.each([
    ['tols', { tols: [] }, 'agent "support": unknown option "tols" (did you mean "tools"?)'],
    ['system', { system: 7 }, `agent "support": system is not a text; write '7'`],
    ['tools', { tools: 'look' }, 'agent "support": tools is not a list of texts; write ["look"]'],
    [
      'scopes',
      { scopes: 'a b' },
      'agent "support": scopes are not a list of words without spaces; write ["a","b"]',
    ],
    [
      'exposeAt',
      { exposeAt: '/a/{id}' },
      `agent "support": exposeAt "/a/{id}" has a parameter; write fixed text: '/support'`,
    ],
  ])('with a wrong %s is reported', (_, options, line) => {
    expect(one(options)).toEqual([line]);
  });

  it('without an object of options is reported', () => {
    expect(check([agent('support', 7 as unknown as AgentOptions)])).toContain(
      'agent "support": the options are not an object; write { name: value }',
    );
  });

  it.each([
    ['maxSteps', 1, 1_000],
    ['tokenBudget', 1, 1_000_000_000],
    ['toolResultLimit', 1, 8_388_608],
    ['contextWindow', 100, 100_000_000],
    ['keepRecent', 1, 1_000],
    ['maxTokens', 1, 1_000_000],
    ['maxInputBytes', 1, 16_777_216],
    ['maxImages', 0, 100],
    ['temperature', 0, 2],
  ])('has %s from %d to %d', (name, least, most) => {
    for (const value of [least, most]) expect(one({ [name]: value })).toEqual([]);
    const wrong = [least - 1, most + 1, Number.NaN, ...(name === 'temperature' ? [] : [least + 0.5])];
    for (const value of wrong)
      expect(one({ [name]: value })).toEqual([expect.stringContaining(`${name} is not a`)]);
  });

  it.each([
    [{ tools: ['lok'] }, 'agent "support": unknown tool "lok" (did you mean "look"?)'],
    [{ handoffs: ['supprt'] }, 'agent "support": unknown agent "supprt" (did you mean "support"?)'],
    [
      { context: ['fact'] },
      'agent "support": unknown context "fact"; declare it, or take it out of the agent',
    ],
    [{ memory: 'notes' }, 'agent "support": unknown memory "notes"; declare it, or take it out of the agent'],
    [{ handoffs: ['support'] }, 'agent "support": it hands over to itself; take it out of its handoffs'],
    [
      { tools: ['transfer_to_x'] },
      'agent "support": its tool "transfer_to_x" is called as a handoff is; give it another toolName',
    ],
  ])('with %o names what is not there', (options, line) => {
    verifies('boot.unknown-names');
    expect(one(options)).toEqual([line]);
  });

  it('finds the memory that was meant', () => {
    const route = { ...openTools().routes[0]!, facts: { memory: 'notes' }, path: '/n' };
    const plugin = createAgents([agent('support', { memory: 'note', public: true })]);
    const table = createRouteTable([{ ...route, name: 'notes_recall' }, ...plugin.routes]);
    expect(plugin.check?.({ table, env: () => undefined }).map(lineOf)).toEqual([
      'agent "support": unknown memory "note" (did you mean "notes"?)',
    ]);
  });

  it('says of its models what the models say, at its own place', () => {
    verifies('boot.unknown-names');
    const models = {
      ...scriptedModel([]),
      check: (alias: string) =>
        alias === 'fats' || alias === 'slwo'
          ? { declaration: 'model', code: 'unknown-model', rule: `unknown model "${alias}"`, nearest: 'fast' }
          : undefined,
    };
    expect(
      check([agent('support', { model: 'slwo', compactWith: 'fats', public: true })], { models }),
    ).toEqual([
      'agent "support": unknown model "slwo" (did you mean "fast"?)',
      'agent "support": unknown model "fats" (did you mean "fast"?)',
    ]);
  });

  it('has the scopes that its own tools need', () => {
    verifies('boot.agent-lacks-scopes');
    expect(one({ tools: ['look', 'write'], scopes: ['read'] })).toEqual([
      `agent "support": lacks the scope "write", which its tool "write" needs; add 'write' to its scopes`,
    ]);
    expect(one({ tools: ['look', 'write'], scopes: ['read', 'write'] })).toEqual([]);
  });

  it('is warned about when it hands over to somebody with more scopes', () => {
    const boss = agent('boss', { tools: ['write'], scopes: ['write'] });
    expect(check([agent('support', { handoffs: ['boss'], public: true }), boss])).toEqual([
      `warning: agent "support": hands over to "boss", whose tool "write" needs the scope "write", and lacks it; add 'write' to its scopes: a handoff adds none`,
    ]);
  });

  it('is warned about when anybody can start it, unless it is public; in production it is wrong', () => {
    const line =
      'agent "support": anybody can start it, and what it uses is paid for; give it exposeScopes, or write public: true';
    expect(check([agent('support')])).toEqual([`warning: ${line}`]);
    expect(check([agent('support')], { production: true })).toEqual([line]);
    expect(check([agent('support', { public: true })], { production: true })).toEqual([]);
    expect(check([agent('support', { exposeScopes: ['start'] })], { production: true })).toEqual([]);
  });
});

describe('a context', () => {
  it.each(['', '1st', 'a b', 'a'.repeat(65)])('cannot be called %j', (name) => {
    expect(provider({ data: 1 }, name)).toEqual([expect.stringContaining('its name is not a letter')]);
  });

  it('is declared once', () => {
    expect(check([context('facts', { data: 1 }), context('facts', { data: 2 })])).toEqual([
      expect.stringMatching(
        /^context "facts": it is declared at \S+ already; take one of them out$/,
      ) as unknown,
    ]);
  });

  it.each([
    [{}, `it has no source; write sql: 'select …', data: …, or a function`],
    [{ data: 1, sql: 'select 1' }, 'it has more than one source; leave one of sql, data and the function'],
    [{ data: 1, maxChars: 0 }, 'maxChars is not a whole number from 1 to 1,000,000; write maxChars: 4000'],
    [
      { data: 1, maxChars: 1_000_001 },
      'maxChars is not a whole number from 1 to 1,000,000; write maxChars: 4000',
    ],
    [{ data: 10n }, 'its data is not JSON; write texts, numbers, lists and objects'],
    [{ data: () => 1 }, 'its data is not JSON; write texts, numbers, lists and objects'],
    [{ data: 1, params: ['a'] }, 'it has params and no SQL; take the params out'],
    [{ sql: 'x', params: 'a' }, `its params are no list of names; write params: ['input']`],
    [{ sql: 'x', params: ['a', 'a'] }, `its params are no list of names; write params: ['input']`],
    [{ sql: 'x', params: ['a-b'] }, '"a-b" is no name of a param; write a word'],
    [
      { sql: 'x', params: ['principal'] },
      'the param "principal" would be given by callers; write "@principal" for the root principal, or take another name',
    ],
    [{ data: 1, returns: 'all' }, 'unknown returns "all"; write many or one'],
    [{ data: 1, maxChar: 1 }, 'unknown option "maxChar" (did you mean "maxChars"?)'],
  ])('with %o is reported', (options, rule) => {
    expect(provider(options)).toEqual([`context "facts": ${rule}`]);
  });

  it('that runs SQL needs a database', () => {
    const declared = [context('facts', { sql: 'select 1' })];
    expect(check(declared, { database: false })).toEqual([
      `context "facts": it runs SQL, and there is no database; write database: 'sqlite://app.db'`,
    ]);
    expect(check(declared, { database: true })).toEqual([]);
    expect(createAgents(declared).needs).toEqual(['database']);
    expect(createAgents(declared, { database: true }).needs).toEqual([]);
    expect(createAgents([agent('a')]).needs).toEqual(['runner', 'models']);
  });

  it.each<readonly [Awaited<ReturnType<Database['check']>>, ContextOptions, string]>([
    [
      { ok: false, problem: 'no such table: t' },
      {},
      'its SQL does not run: no such table: t; correct the SQL',
    ],
    [checked([], false), {}, 'its SQL does not only read; write a SELECT'],
    [checked(['a']), {}, 'its placeholder :a is not among its params'],
    [checked(['principal']), {}, 'its placeholder @principal is not among its params'],
    [checked([]), { params: ['input'] }, 'its param "input" has no placeholder'],
    [checked([undefined, undefined]), { params: ['input'] }, 'it has 2 placeholders and 1 params'],
  ])('is compared with the database before anybody asks: %o', async (answer, options, rule) => {
    const database: Database = { many: async () => [], check: async () => answer };
    const plugin = createAgents([context('facts', { sql: 'select 1', ...options })], { database: true });
    const error: unknown = await Promise.resolve(plugin.start?.(testHost({ database }))).catch(
      (one: unknown) => one,
    );
    expect(error).toBeInstanceOf(DeclarationError);
    const [problem] = (error as DeclarationError).problems;
    expect(lineOf(problem!)).toContain(`context "facts": ${rule}`);
  });

  it('does not start with what is wrong', async () => {
    const plugin = createAgents([context('facts', {})]);
    await expect(plugin.start?.(testHost())).rejects.toBeInstanceOf(DeclarationError);
  });
});

describe('the rules', () => {
  it('have codes of their own and one finished sentence each', () => {
    const all = { ...agentRules, ...contextRules };
    expect(Object.keys(all)).toHaveLength(Object.keys(agentRules).length + Object.keys(contextRules).length);
    for (const text of Object.values(all)) expect(text).toMatch(/^[A-Z].*\.$/);
  });
});

function checked(parameters: readonly (string | undefined)[], reads = true) {
  return { ok: true, reads, parameters, columns: [] } as const;
}
