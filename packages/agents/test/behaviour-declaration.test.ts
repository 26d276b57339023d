import { createRouteTable, defineRoute, type Problem } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  type AgentsDeclaration,
  agent,
  behaviour,
  behaviourRules,
  context,
  createAgents,
} from '../src/index.ts';

/** What the check says of declarations, one line each, without places. */
function check(declarations: readonly AgentsDeclaration[]): readonly string[] {
  return problemsOf(declarations).map((problem) => {
    const { at: _, ...rest } = problem;
    return toProblemLine(rest).replace(/[\w/.-]+\.test\.ts:\d+/, '<before>');
  });
}

function problemsOf(declarations: readonly AgentsDeclaration[], env = 'development'): readonly Problem[] {
  const plugin = createAgents(declarations);
  const look = defineRoute('GET', '/look', { tool: true, toolName: 'look', scopes: ['read'] }, () => 1);
  const models = {
    ...scriptedModel([]),
    check: (alias: string) =>
      alias === 'smrt' ? { declaration: '', rule: `unknown model "${alias}"`, nearest: 'smart' } : undefined,
  };
  const table = createRouteTable([look, ...plugin.routes]).freeze();
  return plugin.check?.({ table, models, env: (name) => (name === 'NODE_ENV' ? env : undefined) }) ?? [];
}

const quiet = { public: true } as const;

describe('behaviour', () => {
  it('is declared with a function, with options, with a name and options', () => {
    verifies('face.methods.behaviour', 'purpose.hosts.behaviours', 'behaviour.name.optional');
    const body = () => 1;
    expect(behaviour(body)).toMatchObject({ kind: 'behaviour', name: 'body', options: {}, body });
    expect(behaviour({ maxSteps: 3 }, body)).toMatchObject({ name: 'body', options: { maxSteps: 3 }, body });
    expect(behaviour('tidy', { maxSteps: 3 }, body)).toMatchObject({
      name: 'tidy',
      options: { maxSteps: 3 },
      body,
    });
  });

  it('is called like its function where it has no name', () => {
    verifies('face.behaviour.name', 'behaviour.name.optional');
    async function closeStale(): Promise<void> {}
    expect(behaviour(closeStale).name).toBe('closeStale');
    expect(behaviour({}, closeStale).name).toBe('closeStale');
    expect(behaviour('close_stale', {}, closeStale).name).toBe('close_stale');
  });

  it('knows where it was declared, or is told', () => {
    const body = () => 1;
    for (const one of [behaviour(body), behaviour({}, body), behaviour('tidy', {}, body)])
      expect(one.declaredAt).toMatch(/behaviour-declaration\.test\.ts:\d+$/);
    expect(behaviour({ declaredAt: 'app.ts:7' }, body)).toMatchObject({
      declaredAt: 'app.ts:7',
      options: {},
    });
  });
});

describe('the check of behaviours', () => {
  it('says nothing of what is right', () => {
    const right = behaviour(
      'tidy',
      { tools: ['look', 'helper'], context: ['hours'], scopes: ['read'], model: 'smart' },
      () => 1,
    );
    expect(check([right, agent('helper', quiet), context('hours', { data: 1 })])).toEqual([]);
  });

  it.each([
    [
      'behaviour-body',
      behaviour('tidy', quiet, undefined as never),
      'behaviour "tidy": it has no function; write the function as the last argument, after the options',
    ],
    [
      'behaviour-name',
      behaviour(quiet, () => 1),
      'behaviour "": it has no name; name the function, or write the name first',
    ],
    [
      'behaviour-name',
      behaviour('tidy up', quiet, () => 1),
      `behaviour "tidy up": its name is not a letter and up to 63 letters, digits, "_" or "-" after it; write a word: 'tidy'`,
    ],
    [
      'behaviour-range',
      behaviour('tidy', { ...quiet, maxSteps: 0 }, () => 1),
      'behaviour "tidy": maxSteps is not a whole number from 1 to 1,000; write maxSteps: 50',
    ],
    [
      'behaviour-range',
      behaviour('tidy', { ...quiet, maxSteps: 1_001 }, () => 1),
      'behaviour "tidy": maxSteps is not a whole number from 1 to 1,000; write maxSteps: 50',
    ],
    [
      'behaviour-range',
      behaviour('tidy', { ...quiet, tokenBudget: 0 }, () => 1),
      'behaviour "tidy": tokenBudget is not a whole number from 1 to 1,000,000,000; write tokenBudget: 200000',
    ],
    [
      'behaviour-range',
      behaviour('tidy', { ...quiet, maxTokens: 1.5 }, () => 1),
      'behaviour "tidy": maxTokens is not a whole number from 1 to 1,000,000; write maxTokens: 16000',
    ],
    [
      'behaviour-range',
      behaviour('tidy', { ...quiet, temperature: 2.1 }, () => 1),
      'behaviour "tidy": temperature is not a number from 0 to 2; write temperature: 0.5',
    ],
    [
      'behaviour-path',
      behaviour('tidy', { ...quiet, exposeAt: '/{shop}/tidy' }, () => 1),
      `behaviour "tidy": exposeAt "/{shop}/tidy" has a parameter; write fixed text: '/tidy'`,
    ],
    [
      'behaviour-scopes',
      behaviour('tidy', { ...quiet, tools: ['look'] }, () => 1),
      `behaviour "tidy": lacks the scope "read", which its tool "look" needs; add 'read' to its scopes`,
    ],
    [
      'behaviour-public',
      behaviour('tidy', {}, () => 1),
      'behaviour "tidy": anybody can start it, and what it uses is paid for; give it exposeScopes, or write public: true',
    ],
    [
      'unknown-tool',
      behaviour('tidy', { ...quiet, tools: ['lok'] }, () => 1),
      'behaviour "tidy": unknown tool "lok" (did you mean "look"?)',
    ],
    [
      'unknown-tool',
      behaviour('tidy', { ...quiet, tools: ['something_else'] }, () => 1),
      'behaviour "tidy": unknown tool "something_else"; declare it, or take it out of the behaviour',
    ],
    [
      'unknown-context',
      behaviour('tidy', { ...quiet, context: ['hours'] }, () => 1),
      'behaviour "tidy": unknown context "hours"; declare it, or take it out of the behaviour',
    ],
    [
      'unknown-model',
      behaviour('tidy', { ...quiet, model: 'smrt' }, () => 1),
      'behaviour "tidy": unknown model "smrt" (did you mean "smart"?)',
    ],
    [
      'unknown-option',
      behaviour('tidy', { ...quiet, tols: [] } as never, () => 1),
      'behaviour "tidy": unknown option "tols" (did you mean "tools"?)',
    ],
    [
      'option-type',
      behaviour('tidy', { ...quiet, tools: 'look' as never }, () => 1),
      `behaviour "tidy": tools is not a list of texts; write ["look"]`,
    ],
    [
      'scope-form',
      behaviour('tidy', { ...quiet, scopes: 'read' as never }, () => 1),
      `behaviour "tidy": scopes are not a list of words without spaces; write ["read"]`,
    ],
    [
      'options-form',
      behaviour('tidy', null as never, () => 1),
      'behaviour "tidy": the options are not an object; write { name: value }',
    ],
  ])('finds %s', (code, declaration, line) => {
    const lines = check([declaration]).filter(
      (one) => code === 'behaviour-public' || !one.includes('anybody can start'),
    );
    expect(lines).toEqual([line]);
    const problem = problemsOf([declaration]).find((one) => one.code === code);
    expect(problem?.at).toMatch(/behaviour-declaration\.test\.ts:\d+$/);
    if (code.startsWith('behaviour-')) expect(Object.keys(behaviourRules)).toContain(code);
  });

  it.each([
    ['another behaviour', behaviour('close_stale', quiet, () => 1), 'behaviour'],
    ['an agent', agent('close_stale', quiet), 'agent'],
  ])('finds a name that %s has', (_, other, kind) => {
    const twin = behaviour('Close-stale', quiet, () => 1);
    const line = `behaviour "Close-stale": ${kind} "close_stale" is declared at <before> already; give one of the two another name`;
    expect(check([other, twin])).toEqual([line]);
    // Of two names that collide the agent keeps its own, wherever it stands.
    expect(check([twin, other])).toHaveLength(1);
  });

  it('finds everything at once', () => {
    const wrong = behaviour(
      'tidy',
      { tools: ['lok'], context: ['hours'], maxSteps: 0, model: 'smrt' },
      () => 1,
    );
    expect(check([wrong])).toHaveLength(5);
  });

  it('warns of one that anybody can start, and refuses it in production', () => {
    const open = behaviour('tidy', {}, () => 1);
    const severities = (env: string) => problemsOf([open], env).map(({ code, severity }) => [code, severity]);
    expect(severities('development')).toEqual([['behaviour-public', 'warning']]);
    expect(severities('production')).toEqual([['behaviour-public', undefined]]);
    expect(problemsOf([behaviour('tidy', { public: true }, () => 1)], 'production')).toEqual([]);
  });

  it('needs a runner, and models only where an agent does', () => {
    expect(createAgents([behaviour('tidy', {}, () => 1)]).needs).toEqual(['runner']);
    expect(createAgents([]).needs).toEqual([]);
    expect(createAgents([behaviour('tidy', {}, () => 1), agent('helper')]).needs).toEqual([
      'runner',
      'models',
    ]);
  });
});
